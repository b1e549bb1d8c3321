// Package scope holds what all rules share in one search on one shard: the documents of
// each node of the query, phrases and neighbours, the features of documents, and
// results that later searches can reuse (Memo).
//
// In: an Index, one immutable state of a shard, and the terms that the driver pinned.
// Out: sets of documents, rows of Features, and the Level and Iterator types that rules
// implement. It imports columns and what lies below. It knows no rule by name except
// those that stream single documents.
//
//   - leaf: the documents of one node.
//   - feature: what the token record of a document says about one node or edge of the
//     graph: nearest position, best field, proximity. Features are read once per
//     document and serve all rules.
package scope
