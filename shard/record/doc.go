// Package record holds the two per-document records of a shard and their stored
// forms: the token record (which words stand where) and the value record (the
// facet values). Builders write them, updates compare the old with the new, and
// ranking, filters and facets read them millions of times, so readers work on
// the stored bytes without copying or allocating.
//
// A Tokens is parsed once per document and then asked: Find looks up one word,
// Seek and Next of a Cursor walk words in order (ascending look-ups of many
// words, prefix ranges), Entry.Next walks occurrences. Values lists the facet
// values of one field after the other.
//
// Decoders never panic on damaged bytes: Parse reports what it can see, walks
// end early at damage found later.
//
// Values here are immutable and alias the bytes they were parsed from; the
// writers belong to one goroutine. No goroutines of its own.
package record
