// Package catchup tells when a started node can stand in for others.
//
// In: the log, the nodes that gossip sees, the shards of this node. Out: how many of its
// copies lack data that another node has (Lacking), for /readyz. Once none does, the answer
// stays: searches pass over a copy that falls behind later. May import the ports of the
// coordinator and wire.
package catchup
