// Package byattribute is the rule proximity for indexes where words are near each other
// if they share a field. The rule is neither set algebra nor a function of the
// document: the matches of a pair of words depend on when it was first queried (spec
// ranking 5.5). Therefore the driver explores the paths, and the shard evaluates one
// condition at a time.
//
// In: steps of the driver (Rule.Step), and the Pairs of the whole search. Out: the
// documents of a condition, and buckets as items of a level. Imports scope and columns.
package byattribute
