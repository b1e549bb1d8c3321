// Package solo is one whole node inside a test: a real log, real shards and a
// running scheduler, without gossip, links between nodes and HTTP. It is for
// tests of what spans the coordinator and the shards (dumps, snapshots); those
// of several nodes start processes (package clustertest).
package solo
