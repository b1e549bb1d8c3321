// Package httpfront is the HTTP API: it takes requests in and sends answers out. It makes
// no decisions about data.
//
// New joins the packages below into a Server. routing receives a request, matches it
// against the table of routes.go (which read from top to bottom is the API) and has auth
// check its caller. The handlers of search, indexes and admin decode it and answer through
// the Ports, which package node connects to the coordinator. openapi describes the table;
// console is the page for browsers. Outbound sends requests to addresses that clients name.
//
// Vocabulary: an exchange is one request with its answer; a route is one row of the table;
// a key is an API key; a tenant token is a signed token derived from a key.
//
// All goroutines are those of routing.
package httpfront
