// Package extremes sends one node with four shards what no client should: a document
// of 60,000 fields and one of 10 MiB, settings of megabytes, a facet of a million
// values, queries of 10,000 words, filters 2,000 deep, page 1,000,000. Everything
// works or is refused as the reference refuses it, soon, and without much memory.
package extremes
