// Package turns lets pieces of background work run, so many at a time: the compactions of
// a pebble store.
//
// In: who wants a turn, who has had his, and a function that begins what waits. Out: turns.
// How many there are may change at any time; while something waits it is looked at again
// and again, and otherwise nothing happens: pebble's own scheduler wakes an idle process
// ten times a second for each store.
package turns
