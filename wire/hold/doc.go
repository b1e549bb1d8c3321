// Package hold has a lock for callers that ask other nodes while they hold it.
//
// One caller at a time gets the lock. A sync.Mutex would do, but a simulated clock
// (cluster-test/sim) mistakes waiting for a mutex for work (docs/adr/0015).
package hold
