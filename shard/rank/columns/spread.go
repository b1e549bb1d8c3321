package columns

import (
	"slices"

	"shoal/shard/docset"
)

// Spread tells for a set of documents where the single words of one node stand.
type Spread struct {
	parts []spreadPart
	// Ranged are the words of the prefix range among the words, in order, if listed.
	Listed bool
	Ranged []string
	// fields and places keep what was asked for.
	fields, places [32]*docset.Set
	found          []docset.Container // scratch
	ahead          *Ahead
}

// spreadPart is what one segment of columns tells. shared: others tell about other
// documents of the block.
type spreadPart struct {
	block uint16
	segment
	shared bool
	words  []blockSpread
}

// vocabulary knows the words of a shard.
type vocabulary interface {
	// Word returns the documents with a word in any field, or with a tolerant
	// occurrence of it.
	Word(w string, tolerantOnly bool) (docset.Set, error)
	// RangeWords returns the words of a prefix range in order.
	RangeWords(key Key) []string
}

// Spread finds the columns of some words for the documents of a set. unknown are
// those it cannot tell everything about. What it reads later is read with ahead.
func (c *Columns) Spread(v vocabulary, keys []Key, set docset.Set, ahead *Ahead) (sp *Spread, unknown docset.Set, err error) {
	unknown = set.AndNot(c.Covered())
	sp = &Spread{ahead: ahead}
	known := set.AndNot(unknown)
	if known.Empty() {
		return sp, unknown, nil
	}
	var rare []string // words that some segment has no column of
	whole := make([]bool, len(keys))
	for i := range whole {
		whole[i] = true
	}
	looked, cold := 0, false
	for block, docs := range known.Blocks() {
		if looked++; !cold && looked%aheadBlocks == 0 && ahead.Cold() {
			cold = true
			ahead.Names(c, keys, known)
			ahead.Read()
		}
		list := c.blocks[block]
		for _, seg := range list {
			if len(list) > 1 && !docs.Intersects(seg.docs) {
				continue
			}
			part := spreadPart{block: block, segment: seg, shared: len(list) > 1}
			for i, key := range keys {
				if !key.Prefix {
					if w, ok := seg.spreadOf(key.Text); ok {
						part.words = append(part.words, w)
					} else {
						rare = append(rare, key.Text)
					}
					continue
				}
				if p, ok := seg.prefix(key.Text); ok && key.Last == "" {
					part.words = append(part.words, p)
					continue
				}
				whole[i] = false
				part.words = append(part.words, seg.rangeOf(key.Text, key.Last)...)
			}
			sp.parts = append(sp.parts, part)
		}
	}
	for i, key := range keys {
		if key.Prefix && !whole[i] {
			sp.Listed, sp.Ranged = true, v.RangeWords(key)
			rare = append(rare, sp.Ranged...)
		}
	}
	slices.Sort(rare)
	for _, w := range slices.Compact(rare) {
		few, err := sp.without(v, w)
		if err != nil {
			return nil, unknown, err
		}
		if !few.Empty() {
			unknown = unknown.Or(few.And(known))
		}
	}
	return sp, unknown, nil
}

// without returns the documents with a word in the segments that have no column of it.
func (sp *Spread) without(v vocabulary, w string) (docset.Set, error) {
	docs, err := v.Word(w, false)
	if err != nil || docs.Empty() {
		return docset.Set{}, err
	}
	var a docset.Assembler
	for i := 0; i < len(sp.parts); {
		block := sp.parts[i].block
		have := docs.Block(block)
		var few docset.Container
		for ; i < len(sp.parts) && sp.parts[i].block == block; i++ {
			p := &sp.parts[i]
			if have.Empty() {
				continue
			}
			if _, ok := p.spreadOf(w); ok {
				continue
			}
			if p.shared {
				few = few.Or(have.And(p.docs))
			} else {
				few = have
			}
		}
		a.Append(block, few)
	}
	return a.Set(), nil
}

// InField and AtPlace return the documents with one bit, of the whole blocks.
func (sp *Spread) InField(bit int) docset.Set {
	return sp.gather(&sp.fields[bit], func(b *BlockColumns, s blockSpread) docset.Container { return b.inField(s, bit) }, func(a *Ahead, b *BlockColumns, s blockSpread) {
		a.sets(&b.pieces, s.fields, 1<<bit)
	})
}

func (sp *Spread) AtPlace(bit int) docset.Set {
	return sp.gather(&sp.places[bit], func(b *BlockColumns, s blockSpread) docset.Container { return b.atPlace(s, bit) }, func(a *Ahead, b *BlockColumns, s blockSpread) {
		a.sets(&b.pieces, s.places, 1<<bit)
	})
}

// Asked returns the fields and places of which documents were asked for.
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

func (sp *Spread) gather(kept **docset.Set, of func(*BlockColumns, blockSpread) docset.Container, want func(*Ahead, *BlockColumns, blockSpread)) docset.Set {
	if *kept != nil {
		return **kept
	}
	if len(sp.parts) > aheadBlocks && sp.ahead.Cold() {
		for i := range sp.parts {
			for _, w := range sp.parts[i].words {
				want(sp.ahead, sp.parts[i].BlockColumns, w)
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
		a.Append(sp.parts[first].block, sp.together(sp.parts[first:i], of))
	}
	set := a.Set()
	*kept = &set
	return set
}

// together unites what the segments of one block tell.
func (sp *Spread) together(parts []spreadPart, of func(*BlockColumns, blockSpread) docset.Container) docset.Container {
	if p := &parts[0]; len(parts) == 1 && len(p.words) == 1 && !p.outdated() {
		return of(p.BlockColumns, p.words[0])
	}
	sp.found = sp.found[:0]
	for i := range parts {
		p := &parts[i]
		first := len(sp.found)
		for _, w := range p.words {
			sp.found = append(sp.found, of(p.BlockColumns, w))
		}
		if p.outdated() {
			own := docset.UnionContainers(len(sp.found)-first, func(k int) docset.Container { return sp.found[first+k] })
			sp.found = append(sp.found[:first], own.And(p.docs))
		}
	}
	return docset.UnionContainers(len(sp.found), func(k int) docset.Container { return sp.found[k] })
}

// outdated tells that other segments tell of documents that this one was made of.
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
