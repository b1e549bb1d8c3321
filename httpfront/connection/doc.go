// Package connection owns the connections of clients: how many there are, how long each may
// idle, and how long the head of a request, its body and its answer may take.
//
// In: a listener and the handler of all requests. Out: requests whose context names their
// connection (Of), through which the handler reads the body and sends the answer. The
// package knows no route and no key. It imports api and wire.
//
// Goroutines: those of net/http, one per connection, at most 64 that tell clients that there
// are too many, and one that cuts stalled connections for as long as Serve runs.
package connection
