// Package expiry deletes documents that have expired: the settings of their index name an
// attribute, and its time has come.
//
// The catalogue, the clock and counts of documents come in. Tasks go out, into the log like those
// of clients; each deletes a bounded number of documents. An index whose deletions fail is tried
// again after growing pauses.
//
// Deleter.Run is the only loop. Its caller, the scheduler of a leader, ends it with the term and
// waits for it.
package expiry
