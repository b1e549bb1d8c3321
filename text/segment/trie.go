package segment

import (
	"bufio"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// trie is a set of words of characters below U+10000, each with a number above 0. Nodes are
// in breadth-first order, siblings in the order of their characters, so the children of a
// node are those from first[node] to first[node+1]. A node takes eight bytes. Immutable
// once built.
type trie struct {
	first  []uint32
	chars  []uint16 // the character that leads to the node
	values []uint16 // the number of the word that ends at the node, 0 when none does
	// heads maps first characters, minus low, to nodes; 0 means none.
	heads []uint32
	low   rune
}

// maxTrieNodes exceeds every real word list. A file that claims more is refused before it
// takes memory.
const maxTrieNodes = 1 << 23

var errTrie = errors.New("the list of words is damaged")

// child returns the child of a node for a character, or 0. The root is 0.
func (t *trie) child(node uint32, r rune) uint32 {
	if node == 0 {
		if at := uint32(r - t.low); at < uint32(len(t.heads)) {
			return t.heads[at]
		}
		return 0
	}
	lo, end := t.first[node], t.first[node+1]
	for hi := end; lo < hi; {
		if m := (lo + hi) / 2; rune(t.chars[m]) < r {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < end && rune(t.chars[lo]) == r {
		return lo
	}
	return 0
}

// longest returns the length in bytes of the longest word at the start of s, or 0.
func (t *trie) longest(s string) (found int) {
	node := uint32(0)
	for end, r := range s {
		if node = t.child(node, r); node == 0 {
			break
		}
		if t.values[node] != 0 {
			found = end + utf8.RuneLen(r)
		}
	}
	return found
}

// newTrie builds the trie of sorted, different, non-empty words. values are their numbers;
// nil means that all are 1.
func newTrie(words []string, values []uint16) *trie {
	type branch struct{ depth, lo, hi int } // words[lo:hi] agree on depth bytes
	t := &trie{first: make([]uint32, 1, 2*len(words)+2), chars: make([]uint16, 1, 2*len(words)+1), values: make([]uint16, 1, 2*len(words)+1)}
	todo := []branch{{0, 0, len(words)}}
	for i := 0; i < len(todo); i++ {
		b := todo[i]
		if b.lo < b.hi && len(words[b.lo]) == b.depth {
			t.values[i] = 1
			if values != nil {
				t.values[i] = values[b.lo]
			}
			b.lo++
		}
		t.first[i] = uint32(len(todo))
		for b.lo < b.hi {
			r, size := utf8.DecodeRuneInString(words[b.lo][b.depth:])
			end := b.lo + 1
			for end < b.hi && len(words[end]) >= b.depth+size && words[end][b.depth:b.depth+size] == words[b.lo][b.depth:b.depth+size] {
				end++
			}
			todo = append(todo, branch{b.depth + size, b.lo, end})
			t.first, t.chars, t.values = append(t.first, 0), append(t.chars, uint16(r)), append(t.values, 0)
			b.lo = end
		}
	}
	t.first = append(t.first, uint32(len(todo)))
	t.index()
	return t
}

// index fills heads.
func (t *trie) index() {
	roots := t.chars[t.first[0]:t.first[1]]
	if len(roots) == 0 {
		return
	}
	t.low = rune(roots[0])
	t.heads = make([]uint32, int(roots[len(roots)-1])-int(roots[0])+1)
	for i, r := range roots {
		t.heads[rune(r)-t.low] = t.first[0] + uint32(i)
	}
}

// write writes the trie: the number of nodes; then, for all nodes, the numbers of children;
// then, for all but the root, the distances of characters between siblings; then all
// values. Similar numbers are adjacent, so they compress well.
func (t *trie) write(w io.Writer) error {
	b := binary.AppendUvarint(nil, uint64(len(t.chars)))
	for i := range t.chars {
		b = binary.AppendUvarint(b, uint64(t.first[i+1]-t.first[i]))
	}
	for i := range t.chars {
		before := uint16(0)
		for _, r := range t.chars[t.first[i]:t.first[i+1]] {
			b = binary.AppendUvarint(b, uint64(r-before))
			before = r
		}
	}
	for _, v := range t.values {
		b = binary.AppendUvarint(b, uint64(v))
	}
	_, err := w.Write(b)
	return err
}

// readTrie reads the output of write, up to the end of r. For any bytes, neither it nor the
// resulting trie panics.
func readTrie(r io.ByteReader) (*trie, error) {
	n, err := readNumber(r, maxTrieNodes)
	if err != nil || n == 0 {
		return nil, cmp.Or(err, errTrie)
	}
	t := &trie{first: make([]uint32, n+1), chars: make([]uint16, n), values: make([]uint16, n)}
	next := uint32(1)
	for i := range n {
		count, err := readNumber(r, n-next)
		if err != nil {
			return nil, err
		}
		// Children come after their parents.
		if t.first[i] = next; next <= i && next < n {
			return nil, errTrie
		}
		next += count
	}
	if t.first[n] = next; next != n {
		return nil, errTrie
	}
	for i := range n {
		char := uint32(0)
		for at := t.first[i]; at < t.first[i+1]; at++ {
			step, err := readNumber(r, 0xFFFF-char)
			if err != nil || step == 0 {
				return nil, cmp.Or(err, errTrie)
			}
			char += step
			t.chars[at] = uint16(char)
		}
	}
	for i := range t.values {
		v, err := readNumber(r, 0xFFFF)
		if err != nil {
			return nil, err
		}
		t.values[i] = uint16(v)
	}
	if _, err := r.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, cmp.Or(err, errTrie)
	}
	t.index()
	return t, nil
}

// readNumber reads a number that is at most `most`.
func readNumber(r io.ByteReader, most uint32) (uint32, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return 0, fmt.Errorf("list of words: %w", err)
	}
	if n > uint64(most) {
		return 0, errTrie
	}
	return uint32(n), nil
}

// WriteWords writes words, in any order, in the embedded form.
func WriteWords(w io.Writer, words []string) error {
	slices.Sort(words)
	return deflate(w, newTrie(slices.Compact(words), nil).write)
}

// deflate compresses the output of write.
func deflate(w io.Writer, write func(io.Writer) error) error {
	f, err := flate.NewWriter(w, flate.BestCompression)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// inflate decompresses the output of deflate.
func inflate(r io.Reader) *bufio.Reader { return bufio.NewReader(flate.NewReader(r)) }
