// Package address handles the addresses that a node listens on: what it advertises to other
// nodes, what an operator can do when an address cannot be bound, and which ports are free
// for a local cluster.
//
// In: HOST:PORT and errors of the system. Out: addresses, ports, and messages that name the
// option. Imports nothing of ours.
package address
