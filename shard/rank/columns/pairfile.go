package columns

import (
	"encoding/binary"
	"slices"
	"sort"

	"shoal/shard/docset"
)

// For the most frequent words of a block, its file lists the documents in which one of
// them stands directly before another one: so many have both that the order of words of
// each would be too much to read. Both words are numbers among the paired words, which
// are those with columns that many documents of the shard have.
//
// A page of pairs is a list of numbers of 16 bits: how many pairs it has, for each
// left, right, where its documents start behind all these, and their number less one;
// then the documents of all. Sets too large for a list are pieces of their own, whose
// number stands in the place of the documents.
const (
	// pairShare is the part of a shard's documents, as a divisor, that a paired word has.
	pairShare = 512
	// pairEntry is the length of what a page says of a pair, in numbers.
	pairEntry = 4
)

// MaxPaired bounds the paired words of a block. It changes no answer; tests lower it.
var MaxPaired = 1024

// pairKey is the number of a pair, by which pairs are in order.
func pairKey(left, right int) uint32 { return uint32(left)<<16 | uint32(right) }

// entryKey is that of a pair in a page.
func entryKey(entry []uint16) uint32 { return pairKey(int(entry[0]), int(entry[1])) }

// pairPages tell which piece has which pairs, by its first.
type pairPages struct{ first, piece []uint32 }

func (p *pairPages) add(key, at uint32) { p.first, p.piece = append(p.first, key), append(p.piece, at) }

// pageOf returns the page that has a pair, if any has; -1 for none.
func (p *pairPages) pageOf(key uint32) int {
	return sort.Search(len(p.first), func(i int) bool { return p.first[i] > key }) - 1
}

// pairLists collects the pairs of a block.
type pairLists struct {
	// words are the paired words, as numbers of words with columns; of has for each of
	// those its number among the paired ones, and one more.
	words []uint16
	of    []uint16
	// docs are the documents of each pair that was seen; at has for each left and right the
	// number of its list, and one more.
	docs [][]uint16
	at   []uint32
	// loose are the documents whose words in order do not tell.
	loose []uint16
}

// newPairLists chooses the paired words: of names, those that at least so many documents
// have, as counts say.
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

// take adds the words of a document in their order.
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

// write writes all pairs in order, and returns where they are.
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

// appendMap appends what the map of a file says of pairs.
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

// pairs reads what the map of a file says of pairs.
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
