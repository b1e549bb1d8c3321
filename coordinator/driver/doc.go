// Package driver ranks the documents of one index over all its shards: it holds
// the nested bucket sort (spec ranking 5.1) and takes every decision that depends
// on more than one document, so that the answer does not depend on how documents
// are spread over shards (architecture 7). What it asks are sources, seen as sessions
// that answer steps (package session of shard): a shard, or all shards that one node is
// asked for. With one source on this node each step is a plain call.
//
// A search enters at Run with a Plan and one session per source, and leaves as a
// Ranked: hits in order with the details of their scores, and the totals. The
// sessions stay open for facets and rendering, which the caller drives.
//
// # Vocabulary
//
//   - vocabulary step: what the index knows about the words of the query, merged
//     over shards; after it the terms are pinned.
//   - level: one rule of the nested sort with its shards' buckets.
//   - bucket: documents a rule declares equal, over all shards.
//   - detail: what a rule said about a hit (package score).
//
// The driver knows no rule beyond the table of package query: graph rules have
// costs and good paths, Sort has values, Geo and Vector are streams of documents
// that it groups.
//
// With several sources a step is sent to those on other nodes, then the one here works on
// it, then the others are waited for, all in the goroutine of the caller: nothing runs on
// its own.
package driver
