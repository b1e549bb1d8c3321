// Package indexes answers the routes of indexes, their settings and their documents.
//
// Reads go to the ports Indexes and Documents. A write is decoded, checked as far as one
// node alone can check it, handed to the port Writes, and answered with the summary of its
// task. Documents are passed on as a stream. The routes of settings follow from the table
// of api/settings.
//
// It imports routing, auth, openapi and api, and none of the other handlers.
package indexes
