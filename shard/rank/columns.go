package rank

import (
	"encoding/binary"
	"slices"
	"sort"

	"shoal/shard/docset"
)

// Columns tell where the frequent words and prefixes of a shard stand, as sets of
// documents by field and by place: what ranking would else read from the record of
// every document. They are made block by block (BuildBlock), change no answer, and
// may cover any part of the documents. Immutable; a nil *Columns covers nothing.
type Columns struct {
	blocks  map[uint16]*BlockColumns
	covered docset.Set
}

// With returns the columns with those of one block in place of what there was.
// docs are the documents of the block that they hold for.
func (c *Columns) With(block uint16, b *BlockColumns, docs docset.Container) *Columns {
	out := &Columns{blocks: map[uint16]*BlockColumns{}}
	if c != nil {
		for key, old := range c.blocks {
			out.blocks[key] = old
		}
		out.covered = c.covered.AndNot(wholeBlock(block))
	}
	out.blocks[block] = b
	var one docset.Assembler
	one.Append(block, docs)
	out.covered = out.covered.Or(one.Set())
	return out
}

func wholeBlock(block uint16) docset.Set {
	var full docset.Set
	lo := uint32(block) << 16
	if block == 1<<16-1 {
		full = docset.Range(lo, lo|0xffff).Or(docset.Of(lo | 0xffff))
	} else {
		full = docset.Range(lo, lo+1<<16)
	}
	return full
}

// Without returns the columns after some documents changed.
func (c *Columns) Without(changed docset.Set) *Columns {
	if c == nil || changed.Empty() {
		return c
	}
	return &Columns{blocks: c.blocks, covered: c.covered.AndNot(changed)}
}

// Covered returns the documents that the columns hold for.
func (c *Columns) Covered() docset.Set {
	if c == nil {
		return docset.Set{}
	}
	return c.covered
}

// Bytes estimates the memory held.
func (c *Columns) Bytes() int {
	sum := 0
	if c != nil {
		for _, b := range c.blocks {
			sum += b.bytes
		}
	}
	return sum
}

// BlockColumns are the columns of 2^16 ordinals. Immutable.
type BlockColumns struct {
	// words and prefixes are sorted; wordSpreads and prefixSpreads belong to them.
	words, prefixes            []string
	wordSpreads, prefixSpreads []blockSpread
	// heads are the first eight bytes of the words, as numbers: nearly all of a search
	// for a word stays in this one piece of memory.
	heads []uint64
	bytes int
	// sets are what the spreads consist of, lists and bitsets their documents: few
	// large pieces without pointers, which cost the garbage collector nothing.
	sets    []bitSet
	lists   []uint16
	bitsets [][docset.Words]uint64
	order   sequences
}

// blockSpread tells for one word or prefix which documents of a block have it in
// which fields and at which places.
//
// A place below 16 is listed whenever the word stands there. Of the farther ones
// only the nearest is, and only for documents where no place is below 16: from any
// position of a query below nearPlaces the near ones are never farther.
type blockSpread struct{ from, middle, to uint32 } // fields, then places, of sets

// bitSet are the documents with one bit of a set of fields or of places: n of
// them, from at on in lists, or a bitset when they are many.
type bitSet struct {
	at  uint32
	n   uint16 // less one
	bit uint8
}

// maxList is the greatest number of documents that are a list.
const maxList = 4096

// nearPlaces is the number of places that have a bit of their own, and of the
// positions in a query for which columns can tell the cost.
const (
	nearPlaces = 16
	maxFirst   = 10
)

// inField and atPlace return the documents with one bit.
func (b *BlockColumns) inField(sp blockSpread, bit int) docset.Container {
	return b.bitOf(sp.from, sp.middle, bit)
}

func (b *BlockColumns) atPlace(sp blockSpread, bit int) docset.Container {
	return b.bitOf(sp.middle, sp.to, bit)
}

func (b *BlockColumns) bitOf(from, to uint32, bit int) docset.Container {
	for i := from; i < to; i++ {
		s := &b.sets[i]
		if int(s.bit) != bit {
			continue
		}
		n := uint32(s.n) + 1
		if n > maxList {
			return docset.ContainerOfWords(&b.bitsets[s.at], int(n))
		}
		return docset.ContainerOf(b.lists[s.at : s.at+n : s.at+n])
	}
	return docset.Container{}
}

// head returns the first eight bytes of a word, as a number of the same order.
func head(w string) uint64 {
	var first [8]byte
	copy(first[:], w)
	return binary.BigEndian.Uint64(first[:])
}

// seek returns the number of words that are less than w.
func (b *BlockColumns) seek(w string) int {
	h := head(w)
	lo, found := slices.BinarySearch(b.heads, h)
	if !found {
		return lo
	}
	n := 1
	for lo+n < len(b.heads) && b.heads[lo+n] == h {
		n++
	}
	at, _ := slices.BinarySearch(b.words[lo:lo+n], w)
	return lo + at
}

// find returns the number of a word.
func (b *BlockColumns) find(w string) (i int, ok bool) {
	i = b.seek(w)
	return i, i < len(b.words) && b.words[i] == w
}

func (b *BlockColumns) word(w string) (blockSpread, bool) {
	if i, ok := b.find(w); ok {
		return b.wordSpreads[i], true
	}
	return blockSpread{}, false
}

func (b *BlockColumns) prefix(p string) (blockSpread, bool) {
	if i, ok := slices.BinarySearch(b.prefixes, p); ok {
		return b.prefixSpreads[i], true
	}
	return blockSpread{}, false
}

// rangeOf returns the columns of the words that start with a prefix, up to and
// including last ("" is no limit).
func (b *BlockColumns) rangeOf(prefix, last string) []blockSpread {
	lo, n := b.rangeAt(prefix, last)
	return b.wordSpreads[lo : lo+n]
}

// rangeAt returns where the words of rangeOf start, and how many they are.
func (b *BlockColumns) rangeAt(prefix, last string) (lo, n int) {
	lo = b.seek(prefix)
	n = sort.Search(len(b.words)-lo, func(i int) bool {
		w := b.words[lo+i]
		return len(w) < len(prefix) || w[:len(prefix)] != prefix || last != "" && w > last
	})
	return lo, n
}

// spread tells for a set of documents where the single words of one node stand.
type spread struct {
	keys    []uint16
	blocks  []*BlockColumns
	spreads [][]blockSpread
	// ranged are the words of the prefix range among the words, in order, if listed.
	listed bool
	ranged []string
	// fields and places keep what was asked for.
	fields, places [32]*docset.Set
}

// spread finds the columns of some words for the documents of a set. unknown are
// those it cannot tell everything about.
func (s *Session) spread(cols *Columns, keys []columnKey, set docset.Set) (sp *spread, unknown docset.Set, err error) {
	unknown = set.AndNot(cols.Covered())
	sp = &spread{}
	known := set.AndNot(unknown)
	if known.Empty() {
		return sp, unknown, nil
	}
	var rare []string // words that some block has no column of
	for block := range known.Blocks() {
		b := cols.blocks[block]
		var list []blockSpread
		for _, key := range keys {
			switch {
			case !key.prefix:
				if w, ok := b.word(key.text); ok {
					list = append(list, w)
				} else {
					rare = append(rare, key.text)
				}
			default:
				if p, ok := b.prefix(key.text); ok && key.last == "" {
					list = append(list, p)
					continue
				}
				list = append(list, b.rangeOf(key.text, key.last)...)
			}
		}
		sp.keys, sp.blocks, sp.spreads = append(sp.keys, block), append(sp.blocks, b), append(sp.spreads, list)
	}
	for _, key := range keys {
		if key.prefix && !sp.wholePrefix(key) {
			sp.listed, sp.ranged = true, s.rangeWords(key)
			rare = append(rare, sp.ranged...)
		}
	}
	slices.Sort(rare)
	for _, w := range slices.Compact(rare) {
		docs, err := s.word(w, false)
		if err != nil {
			return nil, unknown, err
		}
		var a docset.Assembler
		for block, c := range docs.Blocks() {
			if b := cols.blocks[block]; b != nil {
				if _, ok := b.word(w); !ok {
					a.Append(block, c)
				}
			}
		}
		if few := a.Set(); !few.Empty() {
			unknown = unknown.Or(few.And(known))
		}
	}
	return sp, unknown, nil
}

// wholePrefix tells whether all blocks have a column of the prefix itself.
func (sp *spread) wholePrefix(key columnKey) bool {
	if key.last != "" {
		return false
	}
	for _, b := range sp.blocks {
		if _, ok := b.prefix(key.text); !ok {
			return false
		}
	}
	return true
}

// rangeWords returns the words of a prefix range in order.
func (s *Session) rangeWords(key columnKey) (words []string) {
	for w := range s.ix.Dictionary().Prefix(key.text, false) {
		if key.last != "" && w > key.last {
			break
		}
		words = append(words, w)
	}
	for w := range s.ix.ExactDictionary().Prefix(key.text, false) {
		if key.last != "" && w > key.last {
			break
		}
		words = append(words, w)
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// inField and atPlace return the documents with one bit, of the whole blocks.
func (sp *spread) inField(bit int) docset.Set {
	return sp.gather(&sp.fields[bit], func(b *BlockColumns, s blockSpread) docset.Container { return b.inField(s, bit) })
}

func (sp *spread) atPlace(bit int) docset.Set {
	return sp.gather(&sp.places[bit], func(b *BlockColumns, s blockSpread) docset.Container { return b.atPlace(s, bit) })
}

func (sp *spread) gather(kept **docset.Set, of func(*BlockColumns, blockSpread) docset.Container) docset.Set {
	if *kept != nil {
		return **kept
	}
	a := docset.NewAssembler(len(sp.keys))
	for i, block := range sp.keys {
		b, list := sp.blocks[i], sp.spreads[i]
		if len(list) == 1 {
			a.Append(block, of(b, list[0]))
			continue
		}
		a.Append(block, docset.UnionContainers(len(list), func(k int) docset.Container { return of(b, list[k]) }))
	}
	set := a.Set()
	*kept = &set
	return set
}
