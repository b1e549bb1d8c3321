// Package formation decides when nodes begin a cluster, so that one list of first
// members never makes two (docs/adr/0005).
//
// In: what a new node promised before (Record) and what the listed members say of
// themselves in one round of questions (Word). Out: what the node does next (Step): it
// waits and says for whom, promises to begin with a set of members, begins, or joins the
// existing cluster. The package asks no node itself.
package formation
