// Package httpfront is the HTTP API: how requests come in and answers go out. It
// makes no decisions about data.
//
// New joins the rooms below into a Server: routing takes a request in, matches it
// against the table of routes.go (which read from top to bottom is the API) and has
// auth check its caller; the handlers of search, indexes and admin decode it and
// answer through the Ports, which node joins with the coordinator; openapi describes
// the table; console is the page that browsers get. Outbound is the way out, to
// addresses that clients name.
//
// Vocabulary: an exchange is one request and its answer on their way; a route is one
// row of the table; a key is an API key, a tenant token is a signed token derived
// from one.
//
// Goroutines are those of routing.
package httpfront
