// Package memshard is a shard in memory for tests of ranking: facet values by package
// memindex, words and records by package extract, columns if a test provides them. It
// stores nothing and cannot be changed.
//
// In: settings and documents as JSON texts (New). Out: a Shard, which is a scope.Index.
// Its methods are safe for concurrent use, except Follow and SetColumns.
package memshard
