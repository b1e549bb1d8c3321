// Package vector keeps stored vectors as they are compared: decoded, in blocks of
// 2^12 ordinals.
//
// In come the embeddings of documents, read by the caller (Rows.Add); out go the
// documents nearest to a vector among a set (Distances, scan.go), and those that a
// condition on vectors selects (Column.Selects). A Table lists the blocks of one
// version of a shard; versions share the blocks that did not change. A Cache bounds
// the memory of all tables of a node.
//
// It does not read the store, and may import docset, record and the conditions of
// package query.
package vector
