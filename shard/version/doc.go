// Package version is one shard at one version, and the ways to read it.
//
// In: the store, with the ops of a delta if known. Load reads a whole version.
// Version.Next derives it from the previous one, at a cost proportional to the change.
// A Version holds a snapshot, with the live set, fields and settings in memory, and its
// dictionaries once they were needed (lexica.go). It is reference counted; the last release closes the snapshot. A View is a
// handle for one reader, with the settings of its request. Out: posting lists
// (postings.go, ranges.go, read.go), values and documents (values.go) and vectors
// (embeddings.go), as ranking, filters, facets and listings need them.
//
// Posting lists are cached across versions (package posting). All other derived
// results of a space of rows are in its Caches. Shared is what all versions of a
// node have in common. A Folder has files that are made from shards beside the store.
//
// Only packages build, codes, columnist, union and shard import it. Others define small interfaces of their own.
package version
