// Package gossip knows which nodes are reachable and where. It nominates members; the
// leader decides (architecture 3).
//
// In: what this node says of itself, keys, and addresses to begin with. Out: the nodes
// that are seen, and a signal when they change. It is the only package that imports
// memberlist.
package gossip
