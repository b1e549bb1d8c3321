// Package parameter has the tables of the parameters of searches: a row for each says its
// name, its error code, how it is read from a body and from a query string, and how it is
// written for another instance. The routes, their descriptions, facet searches, the queries
// of a multi-search and the requests to other instances follow from the rows.
//
// In come JSON values and requests, out go requests, errors with the texts that clients see,
// and JSON. Checks that need an index are made by coordinator/search.
package parameter
