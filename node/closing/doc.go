// Package closing ends what a process has opened, in reverse order and within a bounded
// time.
//
// In: a stack of names and functions. Out: their errors, and a log line for each function
// that does not end. It imports nothing of ours.
package closing
