// Package openapi describes the API in the OpenAPI form.
//
// In: the table of routes. Out: /openapi.json. It is made from the rows that serve requests
// and from the tables that decode their bodies, so it cannot drift from them. Bodies
// without a table have schemas built with the functions of schema.go, beside their
// handlers.
//
// It imports routing and api.
package openapi
