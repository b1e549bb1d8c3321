// Package topk finds the best documents of a set by several rules at once. It is a
// shortcut for graphs that are a chain, if nothing depends on how far the sort goes.
//
// In: a step of the driver and its documents (Best). Out: rows with the cost of
// each rule, or a refusal. Imports scope, columns and facet.
//
// A cell is a set of documents that are equal by the rules so far. Columns divide the
// set into cells, cheapest first, and only documents that may be among the best are
// examined one by one (cells.go). Their word order gives the positions of query words
// (order.go), and the places of phrases and synonyms follow from these (phrase.go);
// records are read if that is not enough (score.go). If a sample shows that most
// documents must be examined anyway, all are examined at once (sample.go). For a search
// with distinct, documents with equal values count as one (firsts.go). A step may have a
// limit, a greatest key (key.go). The properties of each rule are a row in kind.go, and
// the functions of a row are in a file per rule.
package topk
