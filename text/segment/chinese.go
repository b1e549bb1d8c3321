package segment

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// lattice is the scratch memory of cutting one block.
type lattice struct {
	// starts holds the byte offset of each character and the end of the block,
	// best the score of the best way from there to the end, to the end of its first
	// word, in characters.
	starts []int
	best   []float64
	to     []int
}

var lattices = sync.Pool{New: func() any { return new(lattice) }}

// segmentChinese cuts a stretch the way of jieba without its hidden Markov model,
// then cuts long words with signs in them again. (Spec ranking 1.5 has all long
// words cut again; the recorded answers have them whole.)
func segmentChinese(stretch string, emit func(int) bool) bool {
	l := lattices.Get().(*lattice)
	defer lattices.Put(l)
	book := chineseBook()
	for at := 0; at < len(stretch); {
		end := at
		for end < len(stretch) {
			r, size := utf8.DecodeRuneInString(stretch[end:])
			if !isBlockRune(r) {
				break
			}
			end += size
		}
		if end == at { // kana and other characters stand alone
			_, size := utf8.DecodeRuneInString(stretch[at:])
			if !emit(size) {
				return false
			}
			at += size
			continue
		}
		if !l.cut(book, stretch[at:end], emit) {
			return false
		}
		at = end
	}
	return true
}

// isBlockRune says which characters form blocks for the dictionary.
func isBlockRune(r rune) bool {
	return r >= 0x3400 && r <= 0x4DBF || r >= 0x4E00 && r <= 0x9FFF || r >= 0xF900 && r <= 0xFAFF || isASCIIAlnum(r) ||
		r == '+' || r == '#' || r == '&' || r == '.' || r == '_' || r == '%' || r == '-'
}

func isASCIIAlnum(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// cut emits the words of the most probable way through a block.
func (l *lattice) cut(book *phraseBook, block string, emit func(int) bool) bool {
	l.route(book, block)
	n := len(l.starts) - 1
	for i := 0; i < n; {
		end := l.to[i]
		if end == i+1 && isASCIIAlnum(rune(block[l.starts[i]])) { // letters and digits in a row stay together
			for end < n && l.to[end] == end+1 && isASCIIAlnum(rune(block[l.starts[end]])) {
				end++
			}
		}
		if !l.refine(book, block, i, end, emit) {
			return false
		}
		i = end
	}
	return true
}

// route finds the best way from each character to the end. Of equal ways the one
// with the longer word wins.
func (l *lattice) route(book *phraseBook, block string) {
	l.starts = l.starts[:0]
	for i := range block {
		l.starts = append(l.starts, i)
	}
	n := len(l.starts)
	l.starts = append(l.starts, len(block))
	if cap(l.best) <= n {
		l.best, l.to = make([]float64, 2*n+1), make([]int, 2*n+1)
	}
	l.best, l.to = l.best[:n+1], l.to[:n+1]
	l.best[n] = 0
	for i := n - 1; i >= 0; i-- {
		from := l.starts[i]
		r, size := utf8.DecodeRuneInString(block[from:])
		lo, hi := book.begin(r, size)
		l.best[i], l.to[i] = float64(book.unknown)+l.best[i+1], i+1
		if lo < hi && int(book.words[lo].length) == size {
			l.best[i] = float64(book.words[lo].log) + l.best[i+1]
		}
		for j := i + 1; j < n && lo < hi; j++ {
			lo, hi = book.narrow(lo, hi, l.starts[j]-from, block[l.starts[j]:l.starts[j+1]])
			if lo < hi && int(book.words[lo].length) == l.starts[j+1]-from {
				if score := float64(book.words[lo].log) + l.best[j+1]; score >= l.best[i] {
					l.best[i], l.to[i] = score, j+1
				}
			}
		}
	}
}

// refine emits the word from character i to end: whole when it is short or all
// letters and digits, ideographs among them, else by its parts of two or three
// characters.
func (l *lattice) refine(book *phraseBook, block string, i, end int, emit func(int) bool) bool {
	word := block[l.starts[i]:l.starts[end]]
	if end-i < 3 || isAlnum(word) {
		return emit(len(word))
	}
	for i < end {
		step := 1
		for _, n := range [...]int{2, 3} {
			if i+n <= end && book.has(block[l.starts[i]:l.starts[i+n]]) {
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

func isAlnum(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			return false
		}
	}
	return true
}
