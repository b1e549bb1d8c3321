// Package vector compares stored vectors: those of blocks of 2^12 ordinals decoded in
// memory where a node has the room, those of other blocks in the bytes of the store.
//
// In come the embeddings of documents, which a Source reads; out go the documents
// nearest to a vector among a set (Table.Distances, scan.go), and those that a condition
// on vectors selects (Table.Select). A Table lists the blocks of one version of a shard;
// versions share the blocks that did not change. A Cache bounds the memory of all tables
// of a node. A block is decoded when it has been asked for often enough and its rows fit
// into the cache; only blocks in which a search has documents are looked at.
//
// It does not open the store, and may import docset, record and the conditions of
// package query.
package vector
