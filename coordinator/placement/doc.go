// Package placement decides where the copies of shards should be.
//
//	It reads the catalogue and asks which nodes are alive. It plans the shards of new indexes
//
// (Placement) and changes of replicas, each with a reason (Balancer, one loop on the leader,
// owned by node). It also reports the state of nodes and shards and makes the changes that
// operators request (Cluster). It moves no data. Package replica does that on every node.
//
//	It may import coordinator, wire and api only.
package placement
