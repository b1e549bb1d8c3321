// Package text turns characters into tokens. Documents that are indexed, queries that are
// read and hits that are highlighted all use the same code.
//
// # What it owns
//
// Script groups, separators, normalisation, stop words, and the two facet forms (spec
// ranking 1). Packages below: language tells scripts and languages apart, segment cuts
// texts without separators, dictionary has the files for Japanese and Korean. It knows
// nothing of fields, positions or queries: its callers count.
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
// [New] builds an immutable [Tokenizer] from [Options]. [Tokenizer.Tokenize] walks groups,
// stretches and segments, normalises and classifies each segment and yields a [Token].
// ASCII and Latin text takes a path of its own that allocates only for words whose lemma
// differs from the text.
//
// No goroutines. Dictionaries are loaded on first use, once per process.
package text

import "shoal/text/dictionary"

// FormatVersion is the version of the tokens that a text becomes. It is part of the index
// format. It changes whenever the same text and options could yield other tokens, whether
// because of our code, the Unicode tables of the toolchain or a dictionary; when documents
// could give the same tokens other positions; and when numbers could get other values.
const FormatVersion = 6

// Format is FormatVersion with the dictionaries that cut the texts. An index that was cut
// without a dictionary has other words than one that was cut with it.
func Format(dictionaries dictionary.Set) uint16 { return FormatVersion | uint16(dictionaries)<<12 }

// Dictionaries returns the dictionaries of a format, whatever its version.
func Dictionaries(format uint16) dictionary.Set { return dictionary.Set(format >> 12) }
