// Package federated answers several searches as one, over indexes and over other instances.
//
// It takes federated and multi-search requests, and searches with useNetwork (NetworkSearch).
// Package search plans and ranks each query, or remote.go sends it to its instance over HTTP.
// Package merge joins the lists into one answer, which also lists the errors of instances. The
// network comes in as a function. Goroutines end before the call does. This package may import
// search, merge, driver and the packages below them.
package federated
