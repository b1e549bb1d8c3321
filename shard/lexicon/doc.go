// Package lexicon holds the words of one shard: a sorted dictionary and the
// automata that find words near a query word.
//
// # What it owns
//
// The in-memory form of the word list, its prefix ranges, edit distance with
// transposition (optimal string alignment on Unicode scalar values) in the plain
// and the prefix variant, and the limits on derived words, for one shard and for
// the merged lists of several (spec ranking 3.2, 3.3, 11.1).
//
// # Vocabulary
//
//   - run: an immutable sorted list of words in front-coded blocks; a count of 0
//     marks a word as removed.
//   - dictionary: a stack of runs, the newest on top. A change of words puts a
//     small run on top; runs of similar size are merged.
//   - automaton: the parametric table of one distance bound together with a query
//     word; a state and a number of characters say all about a prefix.
//   - sink: the state of a prefix automaton from which every continuation is
//     accepted at the same distance.
//   - derivation: a dictionary word within the typo budget of a query word.
//
// # Way through
//
// [Build] and [Dictionary.Overlay] make dictionaries; [Dictionary.Contains],
// [FirstPrefixed], [Dictionary.Typos] and [Dictionary.Near] read them;
// [MergeWords] joins the words of several dictionaries.
//
// Everything here is immutable once built and safe for concurrent use. The
// package runs no goroutines.
package lexicon
