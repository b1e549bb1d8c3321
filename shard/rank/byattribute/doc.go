// Package byattribute is the rule proximity where words are near each other when they
// share a field. It is neither set algebra nor a function of the document: what a pair
// of words matches depends on when it was asked for first (spec ranking 5.5), so the
// driver explores the paths, and the shard finds one condition at a time.
//
// In: steps of the driver (Rule.Step), and the Pairs that the whole search asked for.
// Out: which documents a condition has, and buckets as items of a level. Imports scope
// and columns.
package byattribute
