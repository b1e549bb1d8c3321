// Package cables gives the nodes of a cluster a network of their own that can be cut:
// a switch and one cable to each node, each end in a network namespace. Nothing of it
// touches the network of the machine. Clients stay outside: a node inherits the
// listener that they reach. Names of nodes can be given and changed as those of a name
// server (names.go).
//
// It needs Linux, the program ip and the right to make namespaces; elsewhere Lay
// returns ErrNotAllowed.
package cables
