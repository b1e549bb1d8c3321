// Package score is what a search says about one document beside the document: what each
// rule found (Details), the global score and the object `_rankingScoreDetails`.
//
// In come ranks, values, distances and similarities as the driver meets them, out go
// numbers between 0 and 1 and JSON. It imports wire, query and api; who ranks or merges
// imports it: driver, merge, search.
package score
