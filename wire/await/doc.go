// Package await has the ways in which goroutines wait: for an event (Signal), for a lock
// whose owner asks other nodes meanwhile (Lock), for the result of another goroutine that
// does the same work (Flight), for a time (Sleep), and for the next of the moments at which
// all periodic work of a process runs (Until).
//
// It imports nothing of ours.
package await
