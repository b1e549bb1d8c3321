// Package vector finds the documents with the nearest vectors, exactly as if it
// compared all of them.
//
// In: the embeddings of documents, which a Source reads. Out: the nearest documents
// among a set (Search), and those that a condition on vectors selects (Table.Select). A
// Table lists the blocks of 2^12 rows of one version of a shard; versions share
// unchanged blocks. A block in memory holds codes of its vectors (code.go), a quarter
// of their size, with bounds of the error. A search scans the upper halves of the codes
// (scan.go), which rule out most documents, then the whole codes of those that stay, and
// compares the stored vectors of the rest (search.go). It looks only at blocks with
// documents of the set.
//
// A Cache bounds the memory of all tables of a node. Codes of a block are computed once
// the block is used often enough and fits into the cache. After a write only those of
// changed documents are computed (patch.go). Files, owned by the caller, restore codes
// after a restart and hold those without room (sheet.go), or their lower halves
// (halved.go). Other blocks are compared by their stored vectors.
//
// It does not open the store, and may import docset, record and the conditions of
// package query.
package vector
