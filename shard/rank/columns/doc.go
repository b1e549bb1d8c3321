// Package columns stores the positions of the frequent words and prefixes of a shard,
// as sets of documents by field and by place, and the order of words in each document.
// Ranking would otherwise read the record of every document.
//
// In: token records of a block of 2^16 rows (BuildBlock), files (OpenBlock). Out:
// Columns, a value that covers some of the documents, with Spread for the words of a
// node, SideBySide and Holding for phrases, and the codes of single documents. Imports
// docset, lexicon, record, and query for terms; it knows no search and no rule.
//
// Columns are built block by block in the background, stored in files (file.go) and
// read piece by piece through a cache (piece.go). Documents that they do not cover need
// their records. A file that cannot be read is a fault, which is checked after each
// step: the step is repeated without that file (Columns.Sound).
package columns
