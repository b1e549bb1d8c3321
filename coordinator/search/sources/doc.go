// Package sources opens the sources of a search: sessions that together have all documents of
// an index.
//
// The record of an index comes in, with the plan of the driver. Choice divides the shards among
// the fewest nodes, the same way for all queries of an attempt. Opener is what the node knows
// beyond one request: how many sources are open on each node, and how long nodes take to open
// one. An open Set goes out. A node that fails while sources are opened is replaced, and a slow
// one gets a rival. A later failure is a Fault that names the node, and the caller starts again
// without it.
//
// Goroutines end before the call that started them does. Only the opening of the sources deals
// with shards; code above this package asks sources.
package sources
