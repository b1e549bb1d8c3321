// Program ledger leads a whole life of a cluster and keeps the books (make model): every
// request that was answered with 202 is an entry, and a model that carries out the task log
// in its order says what must be there.
//
// A life has rounds. In each, clients send tasks of all kinds through all nodes while nodes
// are killed, frozen, cut off, filled, drained, replaced, added and removed (harm.go); then
// everybody is left alone and the books are closed (audit.go): every 202 is a task with the
// right outcome, no request became two, all nodes and the model hold the same documents,
// settings and rules, copies do not differ, no search saw half a batch, and a cluster that is
// made of a dump or a snapshot of the round holds what the model says of its tasks. The
// first thing that does not fit ends the program with its story.
//
// What is sent and the order of harms follow from the seed; when they meet does not.
package main
