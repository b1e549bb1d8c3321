// Package score describes how a document was ranked: the details of each rule (Details), the
// global score and the object `_rankingScoreDetails`.
//
// The driver provides ranks, values, distances and similarities. The results are numbers
// between 0 and 1, and JSON. This package imports wire, query and api. The packages that rank
// or merge import it: driver, merge, search.
package score
