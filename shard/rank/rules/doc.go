// Package rules yields the buckets of one ranking rule after the other. There is a file
// per rule or family of rules, and one row each in table.go.
//
// In: a scope.Level, the documents to rank with the graph of the query. Out: a
// scope.Iterator of buckets, cheapest first, or a stream of single documents. Imports
// scope and columns; rules do not know each other.
//
// Words, typo and exact words are set algebra: a depth-first search over paths with
// posting sets (paths.go). Proximity, attribute rank and word position are functions of
// the document: features give each edge of the graph its least cost, and the cheapest
// path, first in exploration order, is found document by document (rows.go). Both
// attribute a document to the first path of least cost that it satisfies (spec ranking
// 5.3): an edge that is not the cheapest between its two nodes cannot be on a cheapest
// path.
package rules
