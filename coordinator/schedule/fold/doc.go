// Package fold folds the enqueued tasks of an index into batches by the rules of the reference
// (spec write-api 17.2).
//
// The tasks of one index come in, oldest first, with the state of the index and the limits of a
// batch. Form says how many of them the next batch takes, what kind of batch that is, and why it
// takes no more, in the words that clients see.
//
// Pure functions; no goroutines.
package fold
