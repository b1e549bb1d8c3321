// Package merge joins the ranked lists of several queries into one (spec
// search-api 5.4 to 5.7 and 6): which lists may be merged at all, how two hits
// compare, and how facets add up. It is pure: no shards, no network.
//
// Lists enter as Ranked hits with the values they are compared by; they leave
// Merge in their common order. The same values cross the wire between instances
// (weighted.go). May import driver and what lies below.
package merge
