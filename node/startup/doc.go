// Package startup answers clients while a node is not part of its cluster yet: it waits
// for first members, replays its log or reads a dump in.
//
// In come the connections of clients. Probes are answered: the process lives, it is not
// ready, and why. Everything else waits, for as long as a refusal without a leader may
// take, and is told then to come again. When the node serves, Open hands the connections
// that wait, unread, to the server that answers from then on.
package startup
