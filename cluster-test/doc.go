// Package clustertest runs whole clusters of real processes and checks the promises of the
// product: nothing acknowledged is lost, every node gives the same answer, and shards and
// replicas never show.
//
// A Cluster starts nodes of a built binary on loopback addresses, kills and restarts them
// by process id, and talks to them over HTTP. The program in failover (make cluster) runs
// one long scenario with kills in the middle. The program in twins (make twins) compares
// topologies answer by answer.
package clustertest
