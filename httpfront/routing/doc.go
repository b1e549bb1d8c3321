// Package routing carries every request from its connection to its handler and back.
//
// Requests come in from connection. A request is matched against the rows of the
// table of routes, its caller is authorised, the lease of the node is checked, and the
// handler of the row answers through the Exchange: one request with its answer. The answer
// leaves compressed as negotiated, in one write. Bodies and query strings are read here
// (ReadBody, ReadQuery, AdmitBody). Searches wait here for their turn, client by client.
//
// The package knows no route and no port of the handlers. Of httpfront it imports auth,
// coding, connection, console, metrics and queue. It starts no goroutine but those of connection.
package routing
