// Package model is docs/model/cluster.pml in Go: what a cluster may do, as steps with
// guards, and what must hold after each. Its tests explore it in full within the bounds of
// cluster.pml, and reach as many states as spin does; Replay says which steps a cluster of
// any size took. It imports nothing of ours, so that it shares no fault with the product.
//
// In: Events, in the order in which they happened. Out: the kind of step of each, or why
// none explains it.
package model
