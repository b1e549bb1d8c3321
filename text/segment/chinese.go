package segment

import (
	"sync"
	"unicode/utf8"
)

// lattice is the scratch memory for cutting one block.
type lattice struct {
	chars []rune
	// starts holds the byte offset of each character, and the end of the block. best is the
	// score of the best path from a character to the end. to is the end of its first word,
	// in characters.
	starts []int
	best   []float64
	to     []int
}

var lattices = sync.Pool{New: func() any { return new(lattice) }}

// segmentChinese cuts a stretch as jieba does without its hidden Markov model, and then
// long words into their parts (spec ranking 1.5).
func segmentChinese(stretch string, emit func(int) bool) bool {
	l := lattices.Get().(*lattice)
	defer lattices.Put(l)
	for at := 0; at < len(stretch); {
		if end := at + l.read(stretch[at:]); end > at {
			if !l.cut(emit) {
				return false
			}
			at = end
			continue
		}
		// Kana and other characters are single segments.
		_, size := utf8.DecodeRuneInString(stretch[at:])
		if stretch[at] == '\r' && at+1 < len(stretch) && stretch[at+1] == '\n' {
			size++
		}
		if !emit(size) {
			return false
		}
		at += size
	}
	return true
}

// read reads the characters at the start of s that form a block, and returns their length.
func (l *lattice) read(s string) int {
	l.chars, l.starts = l.chars[:0], l.starts[:0]
	end := len(s)
	for i, r := range s {
		if !isBlockRune(r) {
			end = i
			break
		}
		l.chars, l.starts = append(l.chars, r), append(l.starts, i)
	}
	l.starts = append(l.starts, end)
	return end
}

// isBlockRune says which characters form blocks for the dictionary.
func isBlockRune(r rune) bool {
	switch {
	case r >= 0x4E00 && r <= 0x9FFF, isASCIIAlnum(r):
		return true
	case r < utf8.RuneSelf:
		return r == '+' || r == '#' || r == '&' || r == '.' || r == '_' || r == '%' || r == '-'
	}
	return r >= 0x3400 && r <= 0x4DBF || r >= 0xF900 && r <= 0xFAFF || r >= 0x20000 && r <= 0x2A6DF ||
		r >= 0x2A700 && r <= 0x2EBEF || r >= 0x2F800 && r <= 0x2FA1F
}

func isASCIIAlnum(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// cut emits the words of the most probable path through a block.
func (l *lattice) cut(emit func(int) bool) bool {
	book := chineseFrequencies()
	l.route(book)
	n := len(l.chars)
	for i := 0; i < n; {
		end := l.to[i]
		if end == i+1 && isASCIIAlnum(l.chars[i]) { // letters and digits in a row stay together
			for end < n && l.to[end] == end+1 && isASCIIAlnum(l.chars[end]) {
				end++
			}
		}
		if !l.refine(book.words, i, end, emit) {
			return false
		}
		i = end
	}
	return true
}

// route finds the best path from each character to the end. On a tie the path with the
// longer word wins. A character that begins no word of the list is a word by itself; at
// other characters only words of the list are steps of a path.
func (l *lattice) route(book *frequencies) {
	n := len(l.chars)
	if cap(l.best) <= n {
		l.best, l.to = make([]float64, 2*n+1), make([]int, 2*n+1)
	}
	l.best, l.to = l.best[:n+1], l.to[:n+1]
	l.best[n] = 0
	for i := n - 1; i >= 0; i-- {
		found := false
		node := uint32(0)
		for j := i; j < n; j++ {
			if node = book.words.child(node, l.chars[j]); node == 0 {
				break
			}
			v := book.words.values[node]
			if v == 0 {
				continue
			}
			if score := book.logs[v] + l.best[j+1]; !found || score >= l.best[i] {
				l.best[i], l.to[i], found = score, j+1, true
			}
		}
		if !found {
			l.best[i], l.to[i] = book.logs[0]+l.best[i+1], i+1
		}
	}
}

// refine emits the word from character i to end. It is emitted whole if it has up to two
// characters or only ASCII letters and digits. Otherwise it is cut from the left into
// contained words of two characters, then of three, then single characters.
func (l *lattice) refine(words *trie, i, end int, emit func(int) bool) bool {
	if end-i < 3 || l.isASCIIAlnum(i, end) {
		return emit(l.starts[end] - l.starts[i])
	}
	for i < end {
		step := 1
		node := words.child(0, l.chars[i])
		for n := 2; n <= 3 && i+n <= end && node != 0; n++ {
			if node = words.child(node, l.chars[i+n-1]); node != 0 && words.values[node] != 0 {
				step = n
				break
			}
		}
		if !emit(l.starts[i+step] - l.starts[i]) {
			return false
		}
		i += step
	}
	return true
}

func (l *lattice) isASCIIAlnum(i, end int) bool {
	for _, r := range l.chars[i:end] {
		if !isASCIIAlnum(r) {
			return false
		}
	}
	return true
}
