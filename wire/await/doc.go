// Package await has the ways in which goroutines wait: for an event (Signal), for a lock
// whose owner asks other nodes meanwhile (Lock), for a time (Sleep), and for the next of
// the moments at which all periodic work of a process runs (Until).
//
// It imports nothing of ours.
package await
