package columns

import (
	"maps"
	"slices"

	"shoal/shard/docset"
)

// Columns hold the positions of the frequent words and prefixes of a shard, as sets of
// documents by field and by place. Ranking would otherwise read the record of every
// document. They are built block by block (BuildBlock), change no answer, and may cover
// any part of the documents. Immutable. A nil *Columns covers nothing.
type Columns struct {
	blocks  map[uint16][]segment
	covered docset.Set
}

// segment is a file's columns with the documents for which they are the newest. Some of
// these may no longer be covered.
type segment struct {
	*BlockColumns
	docs docset.Container
}

// With returns the columns with b added. b replaces older columns of the same
// documents. own are the documents of b that belong to the shard, and docs those of own
// that have not changed since.
func (c *Columns) With(b *BlockColumns, own, docs docset.Container) *Columns {
	out := &Columns{blocks: map[uint16][]segment{}}
	if c != nil {
		out.blocks, out.covered = maps.Clone(c.blocks), c.covered
	}
	covered := out.covered.Block(b.block).AndNot(own)
	list := []segment{{b, own}}
	for _, old := range out.blocks[b.block] {
		if docs := old.docs.And(covered); !docs.Empty() {
			list = append(list, segment{old.BlockColumns, docs})
		}
	}
	out.blocks[b.block] = list
	out.covered = out.covered.AndNot(setOfBlock(b.block, own)).Or(setOfBlock(b.block, docs))
	return out
}

func setOfBlock(block uint16, docs docset.Container) docset.Set {
	var one docset.Assembler
	one.Append(block, docs)
	return one.Set()
}

// Without returns the columns after some documents changed.
func (c *Columns) Without(changed docset.Set) *Columns {
	if c == nil || changed.Empty() {
		return c
	}
	return &Columns{blocks: c.blocks, covered: c.covered.AndNot(changed)}
}

// WithoutBlock returns the columns without those of a block.
func (c *Columns) WithoutBlock(block uint16) *Columns {
	if c == nil {
		return nil
	}
	out := &Columns{blocks: maps.Clone(c.blocks), covered: c.covered.AndNot(setOfBlock(block, c.covered.Block(block)))}
	delete(out.blocks, block)
	return out
}

// Choose returns the documents of a block for the next columns: at most limit uncovered
// ones. If the block already has `most` segments, or some with few valid documents, it
// adds the documents of the smallest segments. all means that afterwards every document
// is covered.
func (c *Columns) Choose(block uint16, live docset.Container, limit, most int) (docs docset.Container, all bool) {
	if c == nil {
		c = &Columns{}
	}
	covered := c.covered.Block(block)
	docs, all = live.AndNot(covered), true
	if docs.Len() > limit {
		return docset.ContainerOf(docs.AppendTo(nil)[:limit]), false
	}
	list := slices.Clone(c.blocks[block])
	for i := range list {
		list[i].docs = list[i].docs.And(covered).And(live)
	}
	slices.SortFunc(list, func(a, b segment) int { return a.docs.Len() - b.docs.Len() })
	count := len(list) + 1
	room := count <= most
	for _, s := range list {
		n := s.docs.Len()
		if stale := 2*n <= s.BlockColumns.docs.Len(); room && !stale || docs.Len()+n > limit {
			continue
		}
		docs = docs.Or(s.docs)
		count--
		room = room || count <= most/2 // room for several at once
	}
	return docs, all
}

// Covered returns the documents to which the columns apply.
func (c *Columns) Covered() docset.Set {
	if c == nil {
		return docset.Set{}
	}
	return c.covered
}

// Blocks lists the columns of one block, newest first.
func (c *Columns) Blocks(block uint16) []*BlockColumns {
	if c == nil {
		return nil
	}
	var out []*BlockColumns
	for _, s := range c.blocks[block] {
		out = append(out, s.BlockColumns)
	}
	return out
}

// All lists the columns of all blocks, in no particular order.
func (c *Columns) All() []*BlockColumns {
	if c == nil {
		return nil
	}
	var out []*BlockColumns
	for _, list := range c.blocks {
		for _, s := range list {
			out = append(out, s.BlockColumns)
		}
	}
	return out
}

// Faulty reports whether some columns could not be read.
func (c *Columns) Faulty() bool {
	if c == nil {
		return false
	}
	for _, list := range c.blocks {
		for _, s := range list {
			if s.fault.Load() != nil {
				return true
			}
		}
	}
	return false
}

// Sound returns the columns without those that could not be read.
func (c *Columns) Sound() *Columns {
	if !c.Faulty() {
		return c
	}
	out := &Columns{blocks: map[uint16][]segment{}, covered: c.covered}
	for block, list := range c.blocks {
		for _, s := range list {
			if s.fault.Load() == nil {
				out.blocks[block] = append(out.blocks[block], s)
			} else {
				out.covered = out.covered.AndNot(setOfBlock(block, s.docs))
			}
		}
	}
	return out
}

// Of returns the columns that apply to a covered document, or nil.
func (c *Columns) Of(ord uint32) *BlockColumns {
	list := c.blocks[uint16(ord>>16)]
	for i := range list {
		if s := &list[i]; len(list) == 1 || s.docs.Contains(uint16(ord)) {
			return s.BlockColumns
		}
	}
	return nil
}

// Joined returns the columns of shards read as one, whose blocks begin at bases, or nil
// if there are none.
func Joined(shards []*Columns, bases []uint16) *Columns {
	out := &Columns{blocks: map[uint16][]segment{}}
	covered, any := make([]docset.Set, len(shards)), false
	for i, c := range shards {
		if c == nil {
			continue
		}
		any = true
		covered[i] = c.covered
		for block, list := range c.blocks {
			out.blocks[bases[i]+block] = list
		}
	}
	if !any {
		return nil
	}
	out.covered = docset.Joined(covered, bases)
	return out
}

// WithPrefix returns the documents with a word that starts with a prefix, including
// documents no longer covered. ok is false if some columns lack the prefix.
func (c *Columns) WithPrefix(prefix string) (set docset.Set, ok bool) {
	blocks := slices.Sorted(maps.Keys(c.blocks))
	a := docset.NewAssembler(len(blocks))
	ahead, cold := c.Ahead(), false
	for i, block := range blocks {
		if !cold && i%aheadBlocks == 0 && ahead.Cold() {
			cold = true
			ahead.prefix(c, prefix, blocks[i:])
		}
		list := c.blocks[block]
		found := make([]docset.Container, len(list))
		for i, seg := range list {
			sp, ok := seg.prefix(prefix)
			if !ok {
				return set, false
			}
			found[i] = seg.bitOf(sp.places, wholeBit)
			if seg.docs.Len() < seg.BlockColumns.docs.Len() {
				found[i] = found[i].And(seg.docs)
			}
		}
		a.Append(block, docset.UnionContainers(len(found), func(i int) docset.Container { return found[i] }))
	}
	return a.Set(), true
}

// maxList is the largest number of documents stored as a list.
const maxList = 4096

// NearPlaces is the number of places with a bit of their own. MaxFirst is the number of
// query positions for which columns can give the cost.
const (
	NearPlaces = 16
	MaxFirst   = 10
)
