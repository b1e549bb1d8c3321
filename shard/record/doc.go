// Package record defines the two records of a document and their stored forms: the
// token record (words and their positions) and the value record (facet values).
// Builders write them, updates compare the old with the new, and ranking, filters and
// facets read them millions of times. Readers therefore work on the stored bytes
// without copying or allocating.
//
// A Tokens is parsed once per document and then queried: Find looks up one word, Seek
// and Next of a Cursor iterate over words in order (ascending look-ups, prefix ranges),
// Places iterates over occurrences. Values lists the facet values field by field.
//
// Decoders never panic on damaged bytes: Parse reports the damage that it sees, and
// iterations end early at damage found later.
//
// Values are immutable and alias the bytes they were parsed from. Writers belong to one
// goroutine. No goroutines of its own.
package record
