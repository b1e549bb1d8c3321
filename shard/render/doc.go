// Package render turns stored documents into what clients see (spec ranking 10,
// search-api 4.2 and 4.3): selected members, vectors, the formatted copy with
// highlighted and cropped texts, the positions of matches, the distance to a point.
//
// A Plan knows the settings and fields of an index. Plan.Fetch answers a FetchStep: the
// driver lists what counts as a match (wire.MatchList), and this package tokenizes the
// texts and finds those words. It never expands a term itself. Documents renders
// without a query, for listings.
//
// Vocabulary: a leaf is a string or number with its dotted path. A match is a run of
// tokens. The crop window is the visible part of a text.
//
// A Plan is immutable and safe for concurrent use. No goroutines.
package render
