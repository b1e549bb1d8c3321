// Package openapi describes the API in the OpenAPI form.
//
// In comes the table of routes, out comes /openapi.json. It is made from the rows
// that serve requests and from the tables that decode their bodies, so it cannot
// drift from them. The schemas of bodies that have no table are built with the
// functions of schema.go, beside their handlers.
//
// It imports routing and api.
package openapi
