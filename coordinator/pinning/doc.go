// Package pinning holds the dynamic search rules and works out which documents
// they pin for a search (spec search-api 14, ranking 5.12).
//
// A Store is the set of all rules at one time: it is decoded from and encoded to
// the JSON of one catalogue value, changed by Changes in task order, listed for
// clients and asked for Pins by searches. Whether a pinned document exists and is
// inside the search's filter, only the shards know: see package driver.
//
// Vocabulary: a rule has conditions (time, words, filter) and actions; a pin is
// one action of a rule that is in force, a document id with the place it should
// have. A conjunction is one way in which a filter can be true: conditions by
// field that must all hold.
//
// Everything here is a pure function of its arguments; Stores are immutable and
// safe for concurrent use.
package pinning
