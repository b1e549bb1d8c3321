// Package rank is the executor of a search on one shard: it answers the steps of
// the driver (package coordinator/driver) about the documents of one immutable
// state of the shard. It decides nothing that depends on more than one document
// of more than one shard: words, graphs and rules come pinned from the driver,
// sets stay here, cardinalities, good paths and ordinals go back (spec ranking
// 11, architecture 7).
//
// In: a scope.Index and the steps of one search (New, Ranker.Step). Out: replies, and
// the documents that facets count (Ranker.Counted). It ends with Ranker.Close. The
// rooms below, from the ground up: columns where frequent words stand, scope what all
// rules share, rules their buckets, topk several rules at once, byattribute the rule
// whose paths the driver explores. This package holds the nesting of levels, the
// universe and the candidates.
//
// # Vocabulary
//
//   - term, graph, path, rule: as in packages query and query/rule.
//   - universe: the documents to be ranked; a level holds the part of it that one
//     rule of the nested bucket sort is ranking.
//   - bucket: documents of a level that its rule declares equal.
//
// No goroutines. A Ranker belongs to one goroutine.
package rank
