// Package pinning holds the dynamic search rules. It determines the documents that they pin for
// a search, and the documents whose scores they scale (spec search-api 14, ranking 5.12).
//
// A Store is the set of all rules at one time. It is stored as the JSON of one catalogue value
// and changed by Changes in task order. Clients list it, and searches ask it for its Effect.
// Only the shards know whether a document exists and passes a filter: see package driver.
//
// Terms: a rule has conditions (time, words, filter) and actions. A pin is an action: a
// document id with its wanted position. A scale is another action: documents, and the weight
// that multiplies their scores. A conjunction is one alternative of a filter: conditions by
// field that must all hold.
//
// All functions are pure. Stores are immutable and safe for concurrent use.
package pinning
