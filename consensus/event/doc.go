// Package event wakes those who wait for something to happen: leadership that changed,
// entries that were applied.
//
// In: Fire. Out: channels that are closed at the next event. A leaf.
package event
