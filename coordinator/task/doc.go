// Package task is the table of task kinds: what a task of each kind carries,
// how it may ride with others in a batch, and the public "details" object at
// every stage of its life (spec write-api 14 and 17, tasks-auth-ops-api 2.4).
//
// A task is made here (New...), travels through the log as opaque bytes, and is
// read back here (Decode...) by the scheduler of package coordinator, which
// does the work. To add a kind: a file with its body and details, a row in
// table.go, and the scheduler's executor. Everything in this package is a pure
// function.
package task
