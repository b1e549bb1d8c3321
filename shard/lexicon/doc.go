// Package lexicon has the words of one shard: a sorted dictionary, and the automata
// that find words near a query word.
//
// # Contents
//
// The word list in memory, its prefix ranges, the edit distance with transposition
// (optimal string alignment on Unicode scalar values) in the plain and the prefix
// variant, and the limits on derived words, for one shard and for the merged lists of
// several (spec ranking 3.2, 3.3, 11.1).
//
// # Vocabulary
//
//   - run: an immutable sorted list of words in front-coded blocks. A count of 0 marks
//     a removed word.
//   - dictionary: a stack of runs, the newest on top. A change of words adds a small
//     run on top; runs of similar size are merged.
//   - automaton: the parametric table of one distance bound, with a query word. A state
//     and a number of characters determine everything about a prefix.
//   - sink: a state of a prefix automaton from which every continuation is accepted at
//     the same distance.
//   - derivation: a dictionary word within the typo budget of a query word.
//
// # Use
//
// [Build] and [Dictionary.Overlay] create dictionaries. [Dictionary.Contains],
// [FirstPrefixed], [Dictionary.Typos] and [Dictionary.Near] read them. [MergeWords]
// merges the words of several dictionaries.
//
// Everything is immutable once built and safe for concurrent use. No goroutines.
package lexicon
