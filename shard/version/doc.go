// Package version is one shard at one version, and how it is read.
//
// In comes the store, with the ops of a delta where they are known: Load reads a
// version whole, Version.Next derives it from the one before, so that its cost
// follows the change. A Version holds a snapshot with the live set, the
// dictionaries, fields and settings in memory; it is counted, and the last to let
// go closes the snapshot. A View is a handle for one reader, with the settings of its
// request. Out go posting lists (postings.go, ranges.go, read.go), values and documents
// (values.go) and vectors (embeddings.go), in the shape that ranking, filters, facets
// and listings ask for.
//
// Posting lists are kept across versions (posting_cache.go), everything else that is
// worked out for one space of ordinals is in its Caches. What all versions of a node have in common is Shared.
//
// Only package build and package shard import it: everybody else sees a small
// interface of its own.
package version
