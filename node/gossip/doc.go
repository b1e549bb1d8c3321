// Package gossip knows which nodes are reachable and where. It nominates members; the
// leader decides (architecture 3).
//
// In: this node's description of itself, keys, and first addresses. Out: the visible nodes,
// and a signal when they change. It is the only package that imports memberlist.
package gossip
