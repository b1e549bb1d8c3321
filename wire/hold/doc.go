// Package hold has the lock for those who hold it while other nodes are asked.
//
// In: who wants it. Out: one at a time. A sync.Mutex would do, but for a simulated clock
// (cluster-test/sim), to which waiting for a mutex looks like work (docs/adr/0015).
package hold
