// Package rank executes a search on one shard. It answers the steps of the driver
// (package coordinator/driver) about the documents of one immutable state of the shard.
// It decides nothing that depends on documents of several shards: words, graphs and
// rules come pinned from the driver, sets stay here, and cardinalities, good paths and
// ordinals go back (spec ranking 11, architecture 7).
//
// In: a scope.Index and the steps of one search (New, Ranker.Step). Out: replies, and
// the documents that facets count (Ranker.Counted). Ranker.Close ends a search.
//
// Packages below, from the lowest up: columns (positions of frequent words), scope
// (state shared by all rules), rules (buckets rule by rule), topk (several rules at
// once), byattribute (the rule whose paths the driver explores). This package has the
// nesting of levels, the universe and the candidates.
//
// # Vocabulary
//
//   - term, graph, path, rule: as in packages query and query/rule.
//   - universe: the documents to rank. A level holds the part of it that one rule of
//     the nested bucket sort ranks.
//   - bucket: documents of a level that its rule considers equal.
//
// No goroutines. A Ranker belongs to one goroutine.
package rank
