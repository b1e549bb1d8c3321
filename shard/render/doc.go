// Package render turns stored documents into what clients see (spec ranking 10,
// search-api 4.2 and 4.3): selected members, vectors, the formatted copy with
// highlighted and cropped texts, the positions of matches, the distance to a
// point.
//
// A Plan knows the settings and fields of an index. Plan.Fetch answers a
// FetchStep: the driver says what counts as a match (wire.MatchList), this
// package tokenises the texts and finds those words; it never expands a term by
// itself. Document renders without a query, for listings.
//
// Vocabulary: a leaf is a string or number with its dotted path; a match is a run
// of tokens; the crop window is the part of a text that is shown.
//
// A Plan is immutable and safe for concurrent use; nothing here starts a
// goroutine.
package render
