// Package scope is what all rules share of one search on one shard: the documents of
// each node of the query, phrases and neighbours, the features of documents, and what
// one search keeps or leaves to later ones (Memo).
//
// In: an Index, one immutable state of a shard, and the terms that the driver pinned.
// Out: sets of documents, rows of Features, the Level and Iterator that rules rank
// with. Imports columns and what lies below it; it knows no rule by name but those
// that stream single documents.
//
//   - leaf: the documents of one node.
//   - feature: what the token record of one document says about one node or edge of
//     the graph, as far as any rule cares: nearest position, best field, proximity.
//     Features are read once per document and serve all rules.
package scope
