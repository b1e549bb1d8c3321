// Package event wakes goroutines that wait for something to happen, such as a change of
// leadership or newly applied entries.
//
// In: Fire. Out: channels that are closed at the next event. Imports nothing of ours.
package event
