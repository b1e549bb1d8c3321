// Package pinning holds the dynamic search rules and works out which documents
// they pin for a search, and whose scores they scale (spec search-api 14, ranking
// 5.12).
//
// A Store is the set of all rules at one time: it is decoded from and encoded to
// the JSON of one catalogue value, changed by Changes in task order, listed for
// clients and asked for its Effect by searches. Whether a document exists and passes
// a filter, only the shards know: see package driver.
//
// Vocabulary: a rule has conditions (time, words, filter) and actions. A pin is an
// action of a rule that is in force: a document id with the place it should have. A
// scale is another: documents and the weight by which their scores are multiplied. A conjunction is one way in which a filter can be true: conditions by
// field that must all hold.
//
// Everything here is a pure function of its arguments; Stores are immutable and
// safe for concurrent use.
package pinning
