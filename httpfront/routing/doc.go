// Package routing carries every request from its connection to its handler and back.
//
// Connections come in through Server.Serve. A request is matched against the rows of the
// table of routes, its caller is authorised, the lease of the node is checked, and the
// handler of the row answers through the Exchange: one request with its answer. The answer
// leaves compressed as negotiated, in one write. Bodies and query strings are read here
// (ReadBody, ReadQuery, AdmitBody). Searches wait here for their turn, client by client.
//
// The package knows no route and no port of the handlers. It imports auth and the console
// of httpfront, api and wire.
//
// Goroutines: those of net/http, one per connection, and one that cuts stalled connections,
// for as long as Serve runs.
package routing
