// Package docset implements immutable sorted sets of u32 rows, the documents of a
// shard, which the whole engine uses: postings, universes, buckets and facet values are
// Sets.
//
// A Set is a list of blocks of 2^16 rows. A block is a Container: a sorted array of
// at most 4,096 low halves, or a bitset of 8 KiB with at least 1,024. On disk the form
// depends only on the number of elements, so equal sets have equal bytes. Containers
// are also the values of the posting tables of package shard, which decodes them with
// DecodeContainer and joins them with an Assembler.
//
// Sets and containers are never modified after their creation and share memory freely;
// all methods are safe for concurrent use. A Builder or Assembler belongs to one
// goroutine. The package imports nothing of ours.
package docset
