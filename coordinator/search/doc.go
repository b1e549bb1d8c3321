// Package search answers one search on one index, a facet search, a request for
// similar documents, and explains what a search does.
//
// In: a decoded request. New takes the catalogue once: it is the version that the
// whole request reads (Attempt). plan.go and plan_vector.go check the request and
// say what to ask (Plan); sources.go opens one session per shard, and passes over
// copies that fail; ranking.go runs the driver and fetches the page. Out: the
// answer, or the exact error. A version that is gone restarts the request.
//
// Goroutines end before the call that started them does. May import documents,
// merge, driver, replica, pinning and what lies below; never admin: what it needs
// of the catalogue's values comes in as functions (Config).
package search
