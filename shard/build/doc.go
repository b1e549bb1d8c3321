// Package build computes deltas: what a batch changes in one shard.
//
// In come a BuildRequest and the View of its base; out goes a Delta, which the
// caller makes durable, or the error that every builder of this batch would report
// alike. Run folds the operations, id by id (fold.go), hands documents to workers
// (feed.go), which work out old and new records and vectors (derive.go, vectors.go)
// and collect the differences (collector.go); these are spilled, merged and reduced
// (reduce.go) into one list of ops in key order. Records of documents that come in the
// order of their ordinals need none of that and go to the files at once (records.go). The result depends on the base and
// the request alone, not on the number of workers. Resolve tells which documents
// would be new.
//
// Goroutines: the workers of a build, which end with it. Env is what it needs of
// the node.
package build
