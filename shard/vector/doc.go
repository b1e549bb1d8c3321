// Package vector finds the documents whose vectors are nearest to one, exactly as if it
// compared all of them.
//
// In come the embeddings of documents, which a Source reads; out go the nearest documents
// among a set (Search), and those that a condition on vectors selects (Table.Select). A
// Table lists the blocks of 2^12 ordinals of one version of a shard; versions share the
// blocks that did not change. A block in memory holds codes of its vectors (code.go), a
// quarter of their size, with bounds of what the codes leave out. A search scans the codes
// (scan.go), which rule out most documents, and compares the stored vectors of the others
// (search.go). A Cache bounds the memory of all tables of a node. Codes of a block are
// made when it has been asked for often enough and they fit into the cache, and after a
// write those of the documents that changed (patch.go). Files, which the caller keeps,
// bring codes back after a restart and have those without room (sheet.go); vectors of
// other blocks are compared where they are stored. Only blocks in which a search has documents are looked
// at.
//
// It does not open the store, and may import docset, record and the conditions of
// package query.
package vector
