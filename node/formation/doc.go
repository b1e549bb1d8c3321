// Package formation decides when nodes begin a cluster, so that one list of first
// members never makes two (docs/adr/0005).
//
// In come what a new node promised before (Record) and what the listed members say
// of themselves in one round of questions (Word); out goes what the node does next
// (Step): it waits and says for whom, promises to begin with a set of members,
// begins, or joins the cluster that there is. The package asks nobody itself.
package formation
