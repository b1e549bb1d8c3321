// Package extract turns one stored document into what its shard indexes: the
// token record, the value record, the vectors kept aside, and the stored form
// itself with its members in field-id order.
//
// A Plan is compiled once from the settings and the field map and shared; an
// Extractor belongs to one goroutine and keeps its buffers. A document enters as
// raw JSON through Store or Merge, which give its stored form; Load parses that
// form into a flat list of nodes and Tokens, Values and Present walk it.
//
// Vocabulary: a member is a top-level key with its raw value; a visit is one
// contact of a field with a value and moves the field's position on (spec
// ranking 1.9); an unknown name is one that the field map lacks: it is collected
// and whatever was computed is to be thrown away.
//
// Documents were validated when they were taken in, so errors here are rare, but
// every byte is checked: nothing panics. No goroutines.
package extract
