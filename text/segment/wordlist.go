package segment

import (
	"bufio"
	"bytes"
	"compress/flate"
	_ "embed" // the lists below
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"unicode/utf8"
)

// The word lists of the scripts that are written without spaces. NOTICE names
// their origin; [PackWords] writes their form.
var (
	//go:embed words/thai.words
	thaiWords []byte
	//go:embed words/khmer.words
	khmerWords []byte

	thaiList  = sync.OnceValue(func() *wordList { return mustLoadWords(thaiWords) })
	khmerList = sync.OnceValue(func() *wordList { return mustLoadWords(khmerWords) })
)

// wordList finds the longest of its words at a position of a text. It is a trie
// whose siblings stand side by side in the order of their characters; the 80,000
// Khmer words take 2 MB. Immutable once built.
type wordList struct{ nodes []wordNode }

type wordNode struct {
	children uint32 // number of the first child
	char     uint16 // the character that leads here
	count    uint16 // of children
	word     bool   // a word ends here
}

// longest returns the length in bytes of the longest word that s starts with, 0
// when there is none.
func (l *wordList) longest(s string) int {
	found := 0
	for at, end := 0, 0; end < len(s); {
		r, size := utf8.DecodeRuneInString(s[end:])
		n := &l.nodes[at]
		siblings := l.nodes[n.children : n.children+uint32(n.count)]
		i, ok := slices.BinarySearchFunc(siblings, r, func(n wordNode, r rune) int { return int(n.char) - int(r) })
		if !ok {
			break
		}
		at = int(n.children) + i
		end += size
		if l.nodes[at].word {
			found = end
		}
	}
	return found
}

// newWordList builds the list of sorted, different, non-empty words of characters
// below U+10000.
func newWordList(words []string) *wordList {
	type branch struct {
		node, depth, lo, hi int // words[lo:hi] agree on depth bytes
	}
	l := &wordList{nodes: make([]wordNode, 1, 4*len(words)+1)}
	todo := []branch{{0, 0, 0, len(words)}}
	for i := 0; i < len(todo); i++ {
		b := todo[i]
		if b.lo < b.hi && len(words[b.lo]) == b.depth {
			l.nodes[b.node].word = true
			b.lo++
		}
		l.nodes[b.node].children = uint32(len(l.nodes))
		for b.lo < b.hi {
			r, size := utf8.DecodeRuneInString(words[b.lo][b.depth:])
			end := b.lo + 1
			for end < b.hi && words[end][b.depth:b.depth+size] == words[b.lo][b.depth:b.depth+size] {
				end++
			}
			todo = append(todo, branch{len(l.nodes), b.depth + size, b.lo, end})
			l.nodes = append(l.nodes, wordNode{char: uint16(r)})
			l.nodes[b.node].count++
			b.lo = end
		}
	}
	l.nodes = slices.Clip(l.nodes)
	return l
}

// PackWords writes sorted, different words as [Tokenizer] embeds them: each as the
// number of bytes it shares with the one before it, then the rest and a line end,
// all of it deflated. go run ./text/segment/words does it for a file.
func PackWords(w io.Writer, words []string) error {
	f, err := flate.NewWriter(w, flate.BestCompression)
	if err != nil {
		return err
	}
	before := ""
	for _, word := range words {
		if word <= before {
			return fmt.Errorf("%q after %q", word, before)
		}
		shared := 0
		for shared < len(before) && shared < 255 && before[shared] == word[shared] {
			shared++
		}
		if _, err := fmt.Fprintf(f, "%c%s\n", rune(shared), word[shared:]); err != nil {
			return err
		}
		before = word
	}
	return f.Close()
}

// loadWords reads what PackWords wrote.
func loadWords(packed []byte) ([]string, error) {
	r := bufio.NewReader(flate.NewReader(bytes.NewReader(packed)))
	var words []string
	before := ""
	for {
		shared, _, err := r.ReadRune()
		if errors.Is(err, io.EOF) {
			return words, nil
		}
		if err != nil {
			return nil, err
		}
		rest, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if int(shared) > len(before) {
			return nil, fmt.Errorf("word %d shares %d bytes with %q", len(words), shared, before)
		}
		before = before[:shared] + rest[:len(rest)-1]
		words = append(words, before)
	}
}

// mustLoadWords is for the lists inside the binary, which a test reads.
func mustLoadWords(packed []byte) *wordList {
	words, err := loadWords(packed)
	if err != nil {
		panic("text: word list: " + err.Error())
	}
	return newWordList(words)
}

// cut cuts a stretch at each place into the longest word there. Between words
// stand single characters, or with buffer all characters up to the next word (spec
// ranking 1.5).
func (l *wordList) cut(stretch string, buffer bool, emit func(int) bool) bool {
	pending := 0
	for at := 0; at < len(stretch); {
		n := l.longest(stretch[at:])
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
	return thaiList().cut(stretch, false, emit)
}

func segmentKhmer(stretch string, emit func(int) bool) bool {
	return khmerList().cut(stretch, false, emit)
}
