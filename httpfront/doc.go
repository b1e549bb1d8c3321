// Package httpfront is the HTTP API: routes, negotiation, authentication,
// decoding and encoding. It makes no decisions about data.
//
// A request enters at Server.ServeHTTP, is matched against the route table
// (routes.go, which read from top to bottom is the API), authorised (auth.go),
// decoded by its handler (decode*.go is the framework) and answered through the
// ports of ports.go, which node joins with the coordinator. The answer leaves in
// exchange.finish: compressed as negotiated, in one write.
//
// Vocabulary: an exchange is one request and its answer on their way through; a
// route is one row of the table; a key is an API key, a tenant token is a signed
// token derived from one.
//
// Goroutines: those of net/http, one per connection, owned by the http.Server
// that Serve starts and Shutdown ends. The package starts no others.
package httpfront
