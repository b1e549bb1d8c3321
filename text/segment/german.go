package segment

import (
	_ "embed" // the list below
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// germanWords are the parts of German compounds: frequent nouns and their prefixes, in
// lower case, between white space. The list is our own.
//
//go:embed words/german.txt
var germanWords string

// germanList holds the words in the two forms they have inside and at the start of a
// compound.
var germanList = sync.OnceValue(func() *trie {
	words := strings.Fields(germanWords)
	for _, w := range words[:len(words):len(words)] {
		r, size := utf8.DecodeRuneInString(w)
		words = append(words, string(unicode.ToUpper(r))+w[size:])
	}
	slices.Sort(words)
	return newTrie(slices.Compact(words), nil)
})

// germanLinks are the sounds between the parts of a compound; they stay with the
// part before them.
var germanLinks = [...]string{"s", "n", "es", "en", "er"}

// minUnknownPart is the least length, in characters, of a part that is not in the list.
// Shorter parts are endings of words that are not compounds.
const minUnknownPart = 4

// segmentGerman cuts a compound into its parts: at each place the longest word of the list,
// and the unknown text between such words. A stretch with a very short unknown part, or
// with no word, stays whole (Bauer is not Bau and er).
func segmentGerman(stretch string, emit func(int) bool) bool {
	list := germanList()
	var few [8]int
	parts, pending := few[:0], 0
	flush := func(at int) bool {
		if pending == 0 {
			return true
		}
		part := stretch[at-pending : at]
		if utf8.RuneCountInString(part) < minUnknownPart || strings.ContainsFunc(part, func(r rune) bool { return !unicode.IsLetter(r) }) {
			return false
		}
		parts, pending = append(parts, pending), 0
		return true
	}
	for at := 0; at < len(stretch); {
		n := list.longest(stretch[at:])
		if n == 0 {
			_, n = utf8.DecodeRuneInString(stretch[at:])
			pending += n
			at += n
			continue
		}
		if !flush(at) {
			return emit(len(stretch))
		}
		n += list.link(stretch[at+n:])
		parts = append(parts, n)
		at += n
	}
	if !flush(len(stretch)) {
		return emit(len(stretch))
	}
	for _, n := range parts {
		if !emit(n) {
			return false
		}
	}
	return true
}

// link is the length of the linking sound at the start of rest. It is 0 if a word follows
// immediately, or if no word follows the sound.
func (l *trie) link(rest string) int {
	if l.longest(rest) > 0 {
		return 0
	}
	for _, sound := range germanLinks {
		if after, ok := strings.CutPrefix(rest, sound); ok && l.longest(after) > 0 {
			return len(sound)
		}
	}
	return 0
}
