// Package extract turns one stored document into what its shard indexes: the token
// record, the value record, the vectors, and the stored form itself with its members in
// field-id order.
//
// A Plan is compiled once from the settings and the field map and shared. An Extractor
// belongs to one goroutine and keeps its buffers. A document enters as raw JSON through
// Store, which returns its stored form. Load parses that form into a flat list of
// nodes; Tokens, Values and Present walk it.
//
// Vocabulary: a member is a top-level key with its raw value. A visit is one contact of
// a field with a value and advances the field's position (spec ranking 1.9). An unknown
// name is missing from the field map: it is collected, and the results computed so far
// must be discarded.
//
// Documents were validated at ingest, so errors here are rare. Still every byte is
// checked and nothing panics. No goroutines.
package extract
