// Package explain writes the text that says how a query was understood, which buckets each
// rule made, and why the hits rank as they do.
//
// In: a search.Explanation. Out: text for GET /cluster/explain and the command explain. It
// needs nothing of a node.
package explain
