// Package memshard is a shard in memory that can be ranked, for tests: facet values by
// package memindex, words and records by package extract, columns where a test gives it
// some. It stores nothing and takes no changes.
//
// In: settings and documents as JSON texts (New). Out: a Shard, which is a scope.Index.
// Its methods may be called concurrently, but for Follow and SetColumns.
package memshard
