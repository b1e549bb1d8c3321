// Package rows numbers the documents of a shard without gaps.
//
// A row is the number of a document in its shard: 0, 1, 2 and so on. Posting lists,
// columns and records are by row, so that a shard with a third of the documents also
// has a third of the blocks. The ordinal of a document is its number in the index, and
// determines its place in every order. A Table says which ordinal each row of a shard
// has. It is stored by page (Entries) and kept in memory, four bytes a row. An Order
// does the same for the space that a search reads: one shard, or several one after the
// other.
//
// Rows nearly ascend with ordinals: new documents get the smallest free rows in the
// order of their ordinals. An Order knows whether rows ascend everywhere. If so, the
// order of rows is the order of ordinals. If not, it finds the first documents of a set
// block by block, in the order of the least ordinal of each block.
//
// Tables and orders are immutable and safe for concurrent use. The package imports
// docset only.
package rows
