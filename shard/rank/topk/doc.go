// Package topk finds the best documents of a set by several rules at once: a short cut
// for graphs that are a chain, when nothing depends on how far the sort goes.
//
// In: a step of the driver and the documents it is about (Best). Out: ordinals with the
// cost of each rule, or that it declines. Imports scope and columns.
//
// A cell is a set of documents that the rules so far declare equal. Columns divide the
// set into cells, cheapest first, and only documents that may be among the best are
// looked at one by one (cells.go): their words in order tell where those of the query
// stand (order.go), and records are read where that is not enough (score.go). When a
// sample shows that most documents will be looked at whatever the columns tell, they
// are at once (sample.go). What a step has to know about a rule is a row in kind.go; a
// file for each rule has what its row names.
package topk
