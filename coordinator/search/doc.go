// Package search answers one search on one index, a facet search, or a request for similar
// documents. It also explains searches.
//
// A decoded request comes in. Attempt takes the catalogue once: it is the version that the
// whole request reads. plan.go and plan_vector.go check the request and build the Plan.
// ranking.go has package sources open the sources, runs the driver over them and fetches the
// page. The result is the answer, or the exact error. When a version is gone or a source fails,
// the request starts again.
//
// Goroutines end before the call that started them does. This package may import documents,
// merge, driver, replica, pinning, the packages below them and its own folders, but never admin.
// The catalogue's values come in as functions (Config).
package search
