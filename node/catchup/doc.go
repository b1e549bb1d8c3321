// Package catchup tells when a node that was started can stand in for others.
//
// In: the log, what gossip sees, what the shards of this node hold. Out: how many of its
// copies lack something that another node has (Lacking), for /readyz. Once none does the
// answer stays: a copy that falls behind later is passed over by searches.
// May import the ports of the coordinator and wire.
package catchup
