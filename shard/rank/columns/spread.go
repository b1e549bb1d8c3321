package columns

import "shoal/shard/docset"

// Spread gives the fields and places of the single words of one node, for a set of
// documents.
type Spread struct {
	parts []spreadPart
	// Ranged are the words of the prefix range, in order, if Listed.
	Listed bool
	Ranged []string
	// fields and places cache results.
	fields, places [32]*docset.Set
	found          []docset.Container // scratch
	ahead          *Ahead
}

// spreadPart is the spread in one segment of columns. shared means that the block has
// several segments.
type spreadPart struct {
	block uint16
	segment
	shared bool
	// within are the requested documents in the segment.
	within docset.Container
	words  []blockSpread
	// at has the position of each key among the words; it is not set for prefixes.
	// lacks has, for each listed range, a bit for each of its words without column.
	at    []WordAt
	lacks [][]uint64
}

// WordAt is the position of a word among those of some columns: Number words are less
// than it. Found means that it is one of them.
type WordAt struct {
	Number int
	Found  bool
}

// vocabulary is the words of a shard.
type vocabulary interface {
	// Word returns the documents with a word in any field, or only those with a
	// tolerant occurrence.
	Word(w string, tolerantOnly bool) (docset.Set, error)
	// RangeWords returns the words of a prefix range in order.
	RangeWords(key Key) ([]string, error)
}

// Spread finds the columns of some words for the documents of a set. For the documents
// of unknown it is not complete. Later reads use ahead.
func (c *Columns) Spread(v vocabulary, keys []Key, set docset.Set, ahead *Ahead) (sp *Spread, unknown docset.Set, err error) {
	unknown = set.AndNot(c.Covered())
	sp = &Spread{ahead: ahead}
	known := set.AndNot(unknown)
	if known.Empty() {
		return sp, unknown, nil
	}
	ranges := make([][]string, len(keys)) // of the keys for which some segment has no set
	looked, cold := 0, false
	for block, docs := range known.Blocks() {
		if looked++; !cold && looked%aheadBlocks == 0 && ahead.Cold() {
			cold = true
			ahead.Names(c, keys, known)
			ahead.Read()
		}
		list := c.blocks[block]
		for _, seg := range list {
			part := spreadPart{block: block, segment: seg, shared: len(list) > 1, within: docs}
			if part.shared {
				if part.within = docs.And(seg.docs); part.within.Empty() {
					continue
				}
			}
			if err := part.find(v, keys, ranges); err != nil {
				return nil, unknown, err
			}
			sp.parts = append(sp.parts, part)
		}
	}
	for i, key := range keys {
		few, err := sp.withoutKey(v, i, key, ranges[i])
		if err != nil {
			return nil, unknown, err
		}
		if ranges[i] != nil {
			sp.Listed, sp.Ranged = true, ranges[i]
		}
		if !few.Empty() {
			unknown = unknown.Or(few.And(known))
		}
	}
	return sp, unknown, nil
}

// find looks up the keys. For ranges without a set it lists their words.
func (p *spreadPart) find(v vocabulary, keys []Key, ranges [][]string) error {
	p.at, p.words = make([]WordAt, len(keys)), make([]blockSpread, 0, len(keys))
	for i, key := range keys {
		if !key.Prefix {
			n, w, ok := p.search(&p.BlockColumns.words, key.Text)
			if p.at[i] = (WordAt{n, ok}); ok {
				p.words = append(p.words, w)
			}
			continue
		}
		if key.Last == "" {
			if w, ok := p.prefix(key.Text); ok {
				p.words = append(p.words, w)
				continue
			}
		}
		if ranges[i] == nil {
			words, err := v.RangeWords(key)
			if err != nil {
				return err
			}
			ranges[i] = append([]string{}, words...)
		}
		if p.lacks == nil {
			p.lacks = make([][]uint64, len(keys))
		}
		p.words, p.lacks[i] = p.rangeOf(p.words, key.Text, key.Last, ranges[i])
	}
	return nil
}

// withoutKey returns the documents with a word of the i-th key in segments without a
// column of it. words are those of its range, if some segment lacks a set.
func (sp *Spread) withoutKey(v vocabulary, i int, key Key, words []string) (docset.Set, error) {
	if !key.Prefix {
		return sp.without(v, key.Text, func(p *spreadPart) bool { return !p.at[i].Found })
	}
	few := make([]docset.Set, 0, len(words))
	for k, w := range words {
		docs, err := sp.without(v, w, func(p *spreadPart) bool {
			return p.lacks != nil && p.lacks[i] != nil && p.lacks[i][k>>6]>>(k&63)&1 != 0
		})
		if err != nil {
			return docset.Set{}, err
		}
		if !docs.Empty() {
			few = append(few, docs)
		}
	}
	return docset.Union(few...), nil
}

// without returns the documents with a word in the segments that lack it.
func (sp *Spread) without(v vocabulary, w string, lacks func(*spreadPart) bool) (docset.Set, error) {
	first := 0
	for first < len(sp.parts) && !lacks(&sp.parts[first]) {
		first++
	}
	if first == len(sp.parts) {
		return docset.Set{}, nil
	}
	docs, err := v.Word(w, false)
	if err != nil || docs.Empty() {
		return docset.Set{}, err
	}
	var a docset.Assembler
	for i := first; i < len(sp.parts); {
		block := sp.parts[i].block
		have := docs.Block(block)
		var few docset.Container
		for ; i < len(sp.parts) && sp.parts[i].block == block; i++ {
			p := &sp.parts[i]
			switch {
			case have.Empty() || !lacks(p):
			case p.shared:
				few = few.Or(have.And(p.within))
			default:
				few = have
			}
		}
		a.Append(block, few)
	}
	return a.Set(), nil
}

// At returns the position of each key among the words of some columns. It is not set
// for prefixes. nil means that the columns have none of the documents.
func (sp *Spread) At(b *BlockColumns) []WordAt {
	for i := range sp.parts {
		if sp.parts[i].BlockColumns == b {
			return sp.parts[i].at
		}
	}
	return nil
}

// InField and AtPlace return the requested documents with one bit, and possibly others.
func (sp *Spread) InField(bit int) docset.Set { return sp.gather(&sp.fields[bit], fieldsOf, bit) }

func (sp *Spread) AtPlace(bit int) docset.Set { return sp.gather(&sp.places[bit], placesOf, bit) }

func fieldsOf(w *blockSpread) []byte { return w.fields }
func placesOf(w *blockSpread) []byte { return w.places }

// Asked returns the fields and places that were requested.
func (sp *Spread) Asked() (fields, places uint32) {
	for bit := range sp.fields {
		if sp.fields[bit] != nil {
			fields |= 1 << bit
		}
		if sp.places[bit] != nil {
			places |= 1 << bit
		}
	}
	return fields, places
}

func (sp *Spread) gather(kept **docset.Set, of func(*blockSpread) []byte, bit int) docset.Set {
	if *kept != nil {
		return **kept
	}
	if len(sp.parts) > aheadBlocks && sp.ahead.Cold() {
		for i := range sp.parts {
			p := &sp.parts[i]
			for k := range p.words {
				sp.ahead.sets(&p.pieces, of(&p.words[k]), 1<<bit)
			}
		}
		sp.ahead.Read()
	}
	a := docset.NewAssembler(len(sp.parts))
	for i := 0; i < len(sp.parts); {
		first := i
		for i < len(sp.parts) && sp.parts[i].block == sp.parts[first].block {
			i++
		}
		a.Append(sp.parts[first].block, sp.together(sp.parts[first:i], of, bit))
	}
	set := a.Set()
	*kept = &set
	return set
}

// together unites the segments of one block.
func (sp *Spread) together(parts []spreadPart, of func(*blockSpread) []byte, bit int) docset.Container {
	sp.found = sp.found[:0]
	for i := range parts {
		p := &parts[i]
		first := len(sp.found)
		for k := range p.words {
			if ref := refOf(of(&p.words[k]), bit); ref != nil {
				sp.found = append(sp.found, p.setWithin(ref, &p.within))
			}
		}
		if p.outdated() && len(sp.found) > first {
			own := docset.UnionContainers(len(sp.found)-first, func(k int) docset.Container { return sp.found[first+k] })
			sp.found = append(sp.found[:first], own.And(p.docs))
		}
	}
	if len(sp.found) == 1 {
		return sp.found[0]
	}
	return docset.UnionContainers(len(sp.found), func(k int) docset.Container { return sp.found[k] })
}

// outdated reports that other segments have newer columns of some of its documents.
func (p *spreadPart) outdated() bool { return p.shared && p.docs.Len() < p.BlockColumns.docs.Len() }

// AtPlaces returns the documents of a set with one of some places.
func (sp *Spread) AtPlaces(mask uint32, docs docset.Set) docset.Set {
	sets := make([]docset.Set, 0, placeBits)
	for bit := range placeBits {
		if mask>>bit&1 != 0 {
			if set := sp.AtPlace(bit); !set.Empty() {
				sets = append(sets, set)
			}
		}
	}
	return docs.AndAny(sets)
}
