package rank

import (
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
	bytes                      int
}

// blockSpread tells for one word or prefix which documents of a block have it in
// which fields and at which places.
//
// A place below 16 is listed whenever the word stands there. Of the farther ones
// only the nearest is, and only for documents where no place is below 16: from any
// position of a query below nearPlaces the near ones are never farther.
type blockSpread struct{ fields, places []bitSet }

// bitSet are the documents with one bit of a set of fields or of places.
type bitSet struct {
	bit  uint8
	docs docset.Container
}

// nearPlaces is the number of places that have a bit of their own, and of the
// positions in a query for which columns can tell the cost.
const (
	nearPlaces = 16
	maxFirst   = 10
)

func bitOf(sets []bitSet, bit int) docset.Container {
	for i := range sets {
		if int(sets[i].bit) == bit {
			return sets[i].docs
		}
	}
	return docset.Container{}
}

func (b *BlockColumns) word(w string) *blockSpread {
	if i, ok := slices.BinarySearch(b.words, w); ok {
		return &b.wordSpreads[i]
	}
	return nil
}

func (b *BlockColumns) prefix(p string) *blockSpread {
	if i, ok := slices.BinarySearch(b.prefixes, p); ok {
		return &b.prefixSpreads[i]
	}
	return nil
}

// rangeOf returns the columns of the words that start with a prefix, up to and
// including last ("" is no limit).
func (b *BlockColumns) rangeOf(prefix, last string) []blockSpread {
	lo, _ := slices.BinarySearch(b.words, prefix)
	n := sort.Search(len(b.words)-lo, func(i int) bool {
		w := b.words[lo+i]
		return len(w) < len(prefix) || w[:len(prefix)] != prefix || last != "" && w > last
	})
	return b.wordSpreads[lo : lo+n]
}

// spread tells for a set of documents where the single words of one node stand.
type spread struct {
	keys   []uint16 // blocks
	blocks [][]*blockSpread
	// fields and places keep what was asked for.
	fields, places [32]*docset.Set
}

// spread finds the columns of some words for the documents of a set. unknown are
// those it cannot tell everything about.
func (s *Session) spread(keys []columnKey, set docset.Set) (sp *spread, unknown docset.Set, err error) {
	cols := s.ix.Columns()
	unknown = set.AndNot(cols.Covered())
	sp = &spread{}
	known := set.AndNot(unknown)
	if known.Empty() {
		return sp, unknown, nil
	}
	var rare []string // words that some block has no column of
	for block := range known.Blocks() {
		b := cols.blocks[block]
		var list []*blockSpread
		for _, key := range keys {
			switch {
			case !key.prefix:
				if w := b.word(key.text); w != nil {
					list = append(list, w)
				} else {
					rare = append(rare, key.text)
				}
			default:
				if p := b.prefix(key.text); p != nil && key.last == "" {
					list = append(list, p)
					continue
				}
				in := b.rangeOf(key.text, key.last)
				for i := range in {
					list = append(list, &in[i])
				}
			}
		}
		sp.keys, sp.blocks = append(sp.keys, block), append(sp.blocks, list)
	}
	for _, key := range keys {
		if key.prefix && !sp.wholePrefix(cols, key) {
			rare = s.rangeWords(rare, key)
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
			if b := cols.blocks[block]; b != nil && b.word(w) == nil {
				a.Append(block, c)
			}
		}
		if few := a.Set(); !few.Empty() {
			unknown = unknown.Or(few.And(known))
		}
	}
	return sp, unknown, nil
}

// wholePrefix tells whether all blocks have a column of the prefix itself.
func (sp *spread) wholePrefix(cols *Columns, key columnKey) bool {
	if key.last != "" {
		return false
	}
	for _, block := range sp.keys {
		if cols.blocks[block].prefix(key.text) == nil {
			return false
		}
	}
	return true
}

// rangeWords appends the words of a prefix range.
func (s *Session) rangeWords(words []string, key columnKey) []string {
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
	return words
}

// inField and atPlace return the documents with one bit, of the whole blocks.
func (sp *spread) inField(bit int) docset.Set {
	return sp.gather(&sp.fields[bit], func(b *blockSpread) docset.Container { return bitOf(b.fields, bit) })
}

func (sp *spread) atPlace(bit int) docset.Set {
	return sp.gather(&sp.places[bit], func(b *blockSpread) docset.Container { return bitOf(b.places, bit) })
}

func (sp *spread) gather(kept **docset.Set, of func(*blockSpread) docset.Container) docset.Set {
	if *kept != nil {
		return **kept
	}
	var a docset.Assembler
	for i, block := range sp.keys {
		if len(sp.blocks[i]) == 1 {
			a.Append(block, of(sp.blocks[i][0]))
			continue
		}
		a.Append(block, docset.UnionContainers(len(sp.blocks[i]), func(k int) docset.Container { return of(sp.blocks[i][k]) }))
	}
	set := a.Set()
	*kept = &set
	return set
}
