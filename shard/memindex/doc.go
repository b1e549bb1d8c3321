// Package memindex is a shard in memory, for tests: documents given as JSON
// texts, with facet tables, value records and geo points derived from them in the
// plainest way. Filters, facets and listings are tested on it, many shards at a
// time; it stores nothing and takes no changes.
//
// New builds an Index; its methods are those that the packages filter, facet and
// listing ask of a state of a shard. It is immutable and safe for concurrent use.
package memindex
