// Package closing ends what a process has opened, in the opposite order and within a
// bounded time.
//
// In comes a stack of names and functions, out go their errors, and in the log what does
// not end. It imports nothing of ours.
package closing
