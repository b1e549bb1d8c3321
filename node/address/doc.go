// Package address knows about addresses that a node listens on: what other nodes are
// told, what an operator can do when one cannot be bound, and which ports are free for
// a local cluster.
//
// In: HOST:PORT and errors of the system. Out: addresses, ports, and messages that name
// the option. Imports nothing of ours.
package address
