// Package driver ranks the documents of one index over all its shards. It runs the nested
// bucket sort (spec ranking 5.1) and takes every decision that depends on more than one
// document, so that the answer does not depend on how documents are spread over shards
// (architecture 7).
//
// The driver asks sources through sessions that answer steps (package session of shard). A
// source is a shard, or all shards that one node serves. With one source on this node each step
// is a plain call.
//
// A search enters at Run with a Plan and one session per source. The result is a Ranked: hits
// in order with their score details, and the totals. The sessions stay open for facets and
// rendering, which the caller drives.
//
// # Vocabulary
//
//   - vocabulary step: asks what the index knows about the words of the query. The answers of
//     all shards are merged; then the derivations of the terms are fixed ("pinned").
//   - level: one rule of the nested sort with its shards' buckets.
//   - bucket: documents that a rule declares equal, over all shards.
//   - detail: the judgement of a rule on a hit (package score).
//   - transcript: the steps that a source took before the driver asked them, with the answers.
//
// The driver knows no rule beyond the table of package query: graph rules have costs and good
// paths, Sort has values, Geo and Vector are streams of documents that it groups.
//
// With several sources, the driver sends a step to the other nodes, then has the source on this
// node answer it, then waits for the others. All of that happens in the caller's goroutine.
package driver
