// Command failover tells one long story with a cluster of real processes and
// ends with what held: import while the leader is killed, a node that joins by
// gossip, a total power loss. Each step prints a line. `make cluster` runs it.
package main
