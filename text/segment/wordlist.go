package segment

import (
	"bytes"
	_ "embed" // the lists below
	"sync"
	"unicode/utf8"
)

// The word lists of the scripts that are written without spaces. NOTICE names
// their origin; [WriteWords] writes their form.
var (
	//go:embed words/thai.words
	thaiWords []byte
	//go:embed words/khmer.words
	khmerWords []byte

	thaiList  = sync.OnceValue(func() *trie { return mustReadWords(thaiWords) })
	khmerList = sync.OnceValue(func() *trie { return mustReadWords(khmerWords) })
)

// mustReadWords reads a list inside the binary. A test reads them all.
func mustReadWords(packed []byte) *trie {
	t, err := readTrie(inflate(bytes.NewReader(packed)))
	if err != nil {
		panic("text: " + err.Error())
	}
	return t
}

// cutLongest cuts a stretch into the longest word at each place. The characters between
// words are single segments or, with buffer, one segment up to the next word (spec ranking
// 1.5).
func (t *trie) cutLongest(stretch string, buffer bool, emit func(int) bool) bool {
	pending := 0
	for at := 0; at < len(stretch); {
		n := t.longest(stretch[at:])
		if n == 0 {
			_, n = utf8.DecodeRuneInString(stretch[at:])
			if buffer {
				pending += n
				at += n
				continue
			}
		}
		if pending > 0 && !emit(pending) {
			return false
		}
		pending = 0
		if !emit(n) {
			return false
		}
		at += n
	}
	return pending == 0 || emit(pending)
}

func segmentThai(stretch string, emit func(int) bool) bool {
	return thaiList().cutLongest(stretch, false, emit)
}

func segmentKhmer(stretch string, emit func(int) bool) bool {
	return khmerList().cutLongest(stretch, false, emit)
}
