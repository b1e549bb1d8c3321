// Package lease is the leader's table of leases, and the lease that a node holds itself. A lease
// is a node's right to answer for tasks. The end of a task is shown once every node with a lease
// has applied it.
//
// In: the reports of nodes, what this node has applied, and the members of the group. Out: an
// Answer to each report, which may grant a lease; the watermark, told to the nodes with a lease;
// and what the leader knows of the others, for the votes and for its successor. Table belongs to
// one term of this node as the leader, Own to the life of the node.
//
// It sends nothing by itself: Config.Tell does, in goroutines of Config.Begin. May import fsm,
// raftlog and wire.
package lease
