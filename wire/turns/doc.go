// Package turns limits how many pieces of background work run at a time: the compactions of the
// pebble stores.
//
// Compactions is the scheduler of a store. The number that pebble allows may change at any
// time. It is polled only while work waits, because pebble's own scheduler wakes an idle
// process ten times a second for each store.
package turns
