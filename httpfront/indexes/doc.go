// Package indexes answers the routes of indexes, their settings and their documents.
//
// Reads go to the ports Indexes and Documents. Writes are decoded and checked as far as
// one node alone can tell, handed to the port Writes, and answered with the summary of
// the task; documents go on as a stream. The routes of settings follow from the table
// of api/settings.
//
// It imports routing, auth, openapi and api, and none of the other handlers.
package indexes
