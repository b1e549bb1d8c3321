// Package turns limits how many pieces of background work run at a time: the compactions of the
// pebble stores.
//
// Callers take turns and end them. A function begins waiting work. The allowed number may
// change at any time. It is polled only while work waits, because pebble's own scheduler wakes
// an idle process ten times a second for each store.
package turns
