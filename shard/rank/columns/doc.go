// Package columns tells where the frequent words and prefixes of a shard stand, as
// sets of documents by field and by place, and how the words of each document follow
// each other: what ranking would else read from the record of every document.
//
// In: token records of a block of 2^16 ordinals (BuildBlock), files (OpenBlock). Out:
// Columns, a value that covers some of the documents, with Spread for the words of a
// node and the codes of single documents. Imports docset, lexicon, record, and query
// for terms; it knows no search and no rule.
//
// Columns are made block by block beside the searches, lie in files (file.go) and are
// read piece by piece through a cache (piece.go). They cover what documents they cover;
// records tell about the others. A file that cannot be read is a fault that shows
// after the step: it begins anew without that file (Columns.Sound).
package columns
