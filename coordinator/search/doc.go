// Package search answers one search on one index, a facet search, or a request for similar
// documents. It also explains searches.
//
// A decoded request comes in. Attempt takes the catalogue once: it is the version that the
// whole request reads. plan.go and plan_vector.go check the request and build the Plan.
// sources.go opens one session per source and replaces copies that fail. ranking.go runs the
// driver and fetches the page. The result is the answer, or the exact error. When a version is
// gone, the request starts again.
//
// Goroutines end before the call that started them does. This package may import documents,
// merge, driver, replica, pinning and the packages below them, but never admin. The catalogue's
// values come in as functions (Config).
package search
