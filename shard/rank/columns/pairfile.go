package columns

import (
	"encoding/binary"
	"slices"
	"sort"

	"shoal/shard/docset"
)

// For the most frequent words of a block, its file lists the documents in which one of
// them is directly before another one. So many documents have both words that reading
// the word order of each would be too slow. The paired words are those with columns
// that many documents of the shard have. Both words of a pair are numbers among them.
//
// A page of pairs is a list of 16-bit numbers: the number of pairs; for each pair left,
// right, the offset of its documents in the lists, and their number minus one; then the
// lists. A set too large for a list is a piece of its own, and its list holds the number
// of the piece.
const (
	// At least 1/pairShare of a shard's documents have a paired word.
	pairShare = 512
	// pairEntry is the number of numbers per pair in a page.
	pairEntry = 4
)

// MaxPaired bounds the paired words of a block. It changes no answer; tests lower it.
var MaxPaired = 1024

// pairKey is the key of a pair, which defines the order of pairs.
func pairKey(left, right int) uint32 { return uint32(left)<<16 | uint32(right) }

// entryKey returns the key of a pair in a page.
func entryKey(entry []uint16) uint32 { return pairKey(int(entry[0]), int(entry[1])) }

// pairPages are the first pair and the piece of each page.
type pairPages struct{ first, piece []uint32 }

func (p *pairPages) add(key, at uint32) { p.first, p.piece = append(p.first, key), append(p.piece, at) }

// pageOf returns the page that would have a pair, or -1.
func (p *pairPages) pageOf(key uint32) int {
	return sort.Search(len(p.first), func(i int) bool { return p.first[i] > key }) - 1
}

// pairLists collects the pairs of a block.
type pairLists struct {
	// words are the paired words, as numbers of words with columns. of is the inverse,
	// plus one.
	words []uint16
	of    []uint16
	// docs are the documents of each pair that occurred. at has, for each left and
	// right, the number of their list plus one.
	docs [][]uint16
	at   []uint32
	// loose are the documents whose word order is not sufficient.
	loose []uint16
}

// newPairLists chooses the paired words: the names with at least `least` documents by
// counts.
func newPairLists(names []string, counts map[string]uint32, least uint32) *pairLists {
	p := &pairLists{of: make([]uint16, len(names))}
	some := make(map[string]uint32)
	for _, name := range names {
		if n := counts[name]; n >= least {
			some[name] = n
		}
	}
	for _, word := range frequent(some, least, MaxPaired) {
		i, _ := slices.BinarySearch(names, word)
		p.words = append(p.words, uint16(i))
		p.of[i] = uint16(len(p.words))
	}
	p.at = make([]uint32, len(p.words)*len(p.words))
	return p
}

// take adds the word order of a document.
func (p *pairLists) take(low uint16, codes []uint16) {
	if len(codes) == 0 || slices.Contains(codes, CodeBack) {
		p.loose = append(p.loose, low)
		return
	}
	before := -1
	for _, code := range codes {
		now := -1
		if code < CodeBack && code&1 == 1 {
			now = int(p.of[code>>1]) - 1
		}
		if before >= 0 && now >= 0 {
			p.add(before*len(p.words)+now, low)
		}
		before = now
	}
}

func (p *pairLists) add(pair int, low uint16) {
	n := p.at[pair]
	if n == 0 {
		p.docs = append(p.docs, nil)
		n = uint32(len(p.docs))
		p.at[pair] = n
	}
	if list := &p.docs[n-1]; len(*list) == 0 || (*list)[len(*list)-1] != low {
		*list = append(*list, low)
	}
}

// write writes all pairs in order and returns their pages.
func (p *pairLists) write(w *fileWriter) (pages pairPages) {
	var entries, lists []uint16
	var first uint32
	end := func() {
		if len(entries) == 0 {
			return
		}
		b := binary.LittleEndian.AppendUint16(nil, uint16(len(entries)/pairEntry))
		for _, v := range [2][]uint16{entries, lists} {
			for _, n := range v {
				b = binary.LittleEndian.AppendUint16(b, n)
			}
		}
		n := w.reserve(pieceLists)
		w.fill(n, b)
		pages.add(first, n)
		entries, lists = entries[:0], lists[:0]
	}
	for pair, at := range p.at {
		if at == 0 {
			continue
		}
		left, right, docs := pair/len(p.words), pair%len(p.words), p.docs[at-1]
		if 2*(len(entries)+len(lists)+min(len(docs), maxList)) > 2*maxList {
			end()
		}
		if len(entries) == 0 {
			first = pairKey(left, right)
		}
		entries = append(entries, uint16(left), uint16(right), uint16(len(lists)), uint16(len(docs)-1))
		if len(docs) > maxList {
			n := w.reserve(pieceBitset)
			w.fill(n, bitsetOf(docs))
			lists = append(lists, uint16(n), uint16(n>>16))
		} else {
			lists = append(lists, docs...)
		}
		if 2*(len(entries)+len(lists)) >= pieceBytes {
			end()
		}
	}
	end()
	return pages
}

// appendMap appends the pairs' part of the map of a file.
func (p *pairLists) appendMap(m []byte, pages pairPages) []byte {
	m = binary.AppendUvarint(m, uint64(len(p.words)))
	for _, w := range p.words {
		m = binary.LittleEndian.AppendUint16(m, w)
	}
	loose := docset.ContainerOf(p.loose).AppendBinary(nil)
	m = append(binary.AppendUvarint(m, uint64(len(loose))), loose...)
	m = binary.AppendUvarint(m, uint64(len(pages.first)))
	for i, key := range pages.first {
		m = binary.AppendUvarint(binary.AppendUvarint(m, uint64(key)), uint64(pages.piece[i]))
	}
	return m
}

// pairs reads the pairs' part of the map of a file.
func (d *mapDecoder) pairs(c *BlockColumns) {
	n := d.count()
	if raw := d.bytes(2 * uint64(n)); raw != nil {
		for i := range n {
			c.paired = append(c.paired, binary.LittleEndian.Uint16(raw[2*i:]))
		}
	}
	loose, rest, err := docset.DecodeContainer(d.bytes(d.number()))
	if d.bad = d.bad || err != nil || len(rest) > 0; d.bad {
		return
	}
	c.loose = loose
	for range d.count() {
		c.pairs.add(uint32(d.number()), uint32(d.number()))
	}
}
