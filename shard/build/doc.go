// Package build computes deltas: the changes of one shard by a batch.
//
// In: a BuildRequest and the View of its base. Out: a Delta, which the caller makes
// durable, or an error that every builder of this batch would report alike. Run folds
// the operations by id (fold.go) and gives documents to workers (feed.go). These
// compute old and new records and vectors (derive.go, vectors.go) and collect the
// differences (collector.go), which are spilled, merged and reduced (reduce.go) to one
// list of ops in key order. If documents come in the order of their rows, their
// records skip this and go directly to files (records.go). The result depends only on
// the base and the request, not on the number of workers. Resolve reports which
// documents would be new.
//
// Goroutines: the workers of a build, which end with it. Env is what builds need from
// the node.
package build
