// Package clustertest runs whole clusters of real processes and checks what the
// product promises about them: nothing acknowledged is lost, every node gives
// the same answer, shards and replicas never show.
//
// A Cluster starts nodes of a built binary on loopback addresses, kills and
// restarts them by process id, and talks to them over HTTP. The program in
// failover (make cluster) tells one long story with kills in the middle; the one
// in twins (make twins) compares topologies answer by answer.
package clustertest
