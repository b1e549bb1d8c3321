// Package history records what clients asked of a cluster and what they were answered,
// and decides whether one order of events explains all of it.
//
// In come writes of a group of documents, each a batch with a number of its own, and
// reads of the group on any node (Recorder). Out goes the first group whose answers no
// order explains (Check, by the linearizability checker porcupine). Shown reads what a
// search shows of a group.
//
// What is promised, and checked: a write that one node called succeeded is seen by every
// read that begins later, on whatever node. Until then a read may see it or not, and two
// nodes need not agree. A write whose fate the client does not know may come at any time
// after it was sent, or never.
package history
