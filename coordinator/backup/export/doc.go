// Package export sends indexes to another instance, Shoal or Meilisearch, over
// its HTTP API: the work of an export task (spec tasks-auth-ops-api 10.9). Data
// enters from Documents.Scan, page by page, and leaves as gzipped NDJSON in
// requests of a bounded size. The other instance's tasks are not waited for.
//
// Nothing here starts a goroutine.
package export
