// Package text turns characters into tokens: the same code when documents are
// indexed, when a query is read and when hits are highlighted.
//
// # What it owns
//
// Script groups, separators, normalisation, stop words, and the two facet forms (spec
// ranking 1). The rooms below: language tells scripts and languages apart, segment
// cuts what has no separators, dictionary has the files for Japanese and Korean. It knows nothing of fields, positions or queries:
// whoever calls it counts.
//
// # Vocabulary
//
//   - group: a run of characters of one script with the neutral characters
//     (digits, spaces, punctuation) that follow it.
//   - pattern: a separator or a word of the user's dictionary; patterns cut the
//     raw text before anything else, leftmost first, longest wins.
//   - stretch: the text between two patterns, handed to the segmenter of its
//     group.
//   - segment: what a segmenter or a pattern yields; one segment is one token.
//   - lemma: the normalised segment, the word that is indexed and looked up.
//
// # Way through
//
// [New] builds an immutable [Tokenizer] from [Options]; [Tokenizer.Tokenize]
// walks group, stretch, segment, normalises and classifies each segment and
// yields a [Token]. Text that is ASCII or Latin takes a path of its own that
// allocates only for words whose lemma differs from the text.
//
// No goroutines. Dictionaries of the scripts that need one are loaded on first
// use, once per process.
package text

import "shoal/text/dictionary"

// FormatVersion names what becomes of a text. It is part of the index format: it
// changes whenever the same text and options could yield other tokens, be it by
// our code, the Unicode tables of the toolchain or a dictionary, documents other
// positions of the same tokens, or their numbers other values.
const FormatVersion = 6

// Format is FormatVersion with the dictionaries that cut: an index whose texts were cut
// without one has other words than one with it.
func Format(dictionaries dictionary.Set) uint16 { return FormatVersion | uint16(dictionaries)<<12 }

// Dictionaries returns those of a format, whatever its version.
func Dictionaries(format uint16) dictionary.Set { return dictionary.Set(format >> 12) }
