// Package export sends indexes to another instance, Shoal or Meilisearch, over its HTTP API,
// for an export task (spec tasks-auth-ops-api 10.9). Documents.Scan provides the documents page
// by page. They are sent as gzipped NDJSON in requests of bounded size. The package does not
// wait for the other instance's tasks.
//
// It starts no goroutine.
package export
