// Package sim runs a whole cluster in one process on a virtual clock: the nodes are those
// of the product (node.RunOn), the network and the disks are in memory and fail on demand.
// A seed decides what fails and when; an hour of elections and losses of power takes
// seconds. docs/adr/0015 says what of the product takes part, and how exactly a seed
// repeats itself.
//
// The files from the bottom up: network (connections and packets with delays, cuts and
// stillness), disk (files that forget what was not synced), raftlog (the log of the Raft
// group on such a disk), cluster (nodes as processes), workload (clients and what they were
// told), faults (what goes wrong), sim (one seed from its begin to its judgement).
package sim
