// Package rank is the executor of a search on one shard: it answers the steps of
// the driver (package coordinator/driver) about the documents of one immutable
// state of the shard. It decides nothing that depends on more than one document
// of more than one shard: words, graphs and rules come pinned from the driver,
// sets stay here, cardinalities, good paths and ordinals go back (spec ranking
// 11, architecture 7).
//
// A search enters at New and Session.Step and leaves with Session.Close.
//
// # Vocabulary
//
//   - term, graph, path, rule: as in package query.
//   - universe: the documents to be ranked; a level holds the part of it that one
//     rule of the nested bucket sort is ranking.
//   - bucket: documents of a level that its rule declares equal.
//   - feature: what the token record of one document says about one node or edge
//     of the graph, as far as any rule cares: nearest position, best field,
//     proximity. Features are read once per document and serve all rules.
//   - leaf: the documents of one node.
//   - column: where one frequent word or prefix stands, as sets of documents by
//     field and by place (blockcolumns.go), and besides the words of each document in
//     their order (sequence.go). Columns are made block by block beside the
//     searches, lie in files (columnfile.go) and are read piece by piece through a
//     cache (piece.go). They cover what documents they cover; records tell about the
//     others. A file that cannot be read is a fault that shows after the step: it
//     begins anew without that file.
//   - cell: documents that the rules so far declare equal.
//
// # Two engines, and a short cut
//
// Words, typo and the word half of exactness are set algebra: a depth-first
// search over paths with posting sets (paths.go). Proximity, attribute rank and
// word position are functions of the document: features give each edge of the
// graph its least cost, and the cheapest path, first in exploration order, is
// found document by document (rows.go). Both attribute a document to the first
// path of least cost that it satisfies, as spec ranking 5.3 does: an edge that is
// not the cheapest between its two nodes cannot be on a cheapest path.
//
// Proximity with byAttribute is neither: what a pair of words matches depends on
// when it was asked for first, so the driver explores the paths and the shard finds
// one condition at a time (attributerule.go).
//
// Where the graph is a chain and nothing depends on how far the sort goes, the
// best documents by all rules that are left are found at once (top.go): columns
// divide the bucket into cells, cheapest first, and only documents that may be among
// the best are looked at one by one (cells.go): their words in order tell where those
// of the query stand (follow.go), and records are read where that is not enough. When
// a sample shows that most documents will be looked at whatever the columns tell, they
// are at once (sample.go).
//
// No goroutines. A Session belongs to one goroutine.
package rank
