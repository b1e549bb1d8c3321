// Package memindex is a shard in memory, for tests: documents given as JSON texts, with
// facet tables, value records and geo points derived in the simplest way. Tests of
// filters, facets and listings use it, many shards at a time. It stores nothing and
// cannot be changed.
//
// New builds an Index, whose methods are those that packages filter, facet and listing
// need. Immutable and safe for concurrent use.
package memindex
