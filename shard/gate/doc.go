// Package gate makes background work yield to searches
// (docs/adr/0022-the-background-yields-to-searches.md).
//
// In: the steps of searches that begin and end. Out: pacers, which the goroutines of
// builds, columns, codes, scrubbing and compactions call between pieces of work. It
// imports nothing of ours. Only package shard imports it.
package gate
