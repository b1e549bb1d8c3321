// Package placement decides where the copies of shards should live.
//
// In: the catalogue, and which nodes are alive. Out: shards of new indexes
// (Placement), changes of replicas with a reason each (Balancer, one loop on the
// leader, owned by node), the state of nodes and shards, and what operators change
// by hand (Cluster). It moves no data: package replica does, on every node. May
// import coordinator, wire and api only.
package placement
