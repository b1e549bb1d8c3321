// Package hold has the lock for callers that ask other nodes while they hold it.
//
// In: callers that want the lock. Out: one of them at a time. A sync.Mutex would do, but
// a simulated clock (cluster-test/sim) mistakes waiting for a mutex for work
// (docs/adr/0015).
package hold
