// Package explain is the text that says how a query was understood, which buckets each
// rule made, and why the hits rank as they do.
//
// In: a search.Explanation. Out: text for GET /cluster/explain and the command explain.
// Nothing of a node is needed.
package explain
