// Package merge joins the ranked lists of several queries into one (spec search-api 5.4 to 5.7
// and 6). It decides which lists may be merged, how two hits compare, and how facets add up. It
// is pure: no shards, no network.
//
// A list consists of Ranked hits with the values for comparison. Merge returns their common
// order. Instances exchange the same values (weighted.go). This package may import driver and
// the packages below it.
package merge
