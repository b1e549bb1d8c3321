package docset

import "slices"

// Assembler joins containers into a Set, block by block in ascending order. The zero
// value is ready. For one goroutine.
type Assembler struct {
	s Set
	// room is the number of blocks to allocate with the first one.
	room int
}

// NewAssembler returns an Assembler with room for a number of blocks.
func NewAssembler(blocks int) Assembler { return Assembler{room: blocks} }

// Append adds the container of the rows whose high half is key. Keys must ascend;
// empty containers are skipped. A key equal to the last one adds to that block.
func (a *Assembler) Append(key uint16, c Container) {
	if c.n == 0 {
		return
	}
	if last := len(a.s.blocks) - 1; last >= 0 && a.s.blocks[last].key == key {
		b := &a.s.blocks[last]
		a.s.n -= b.c.Len()
		b.c = b.c.Or(c)
		a.s.n += b.c.Len()
		return
	}
	if a.s.blocks == nil && a.room > 1 {
		a.s.blocks = make([]block, 0, a.room)
	}
	a.s.blocks = append(a.s.blocks, block{key: key, c: c})
	a.s.n += int(c.n)
}

// Set returns the joined set. The Assembler is empty afterwards.
func (a *Assembler) Set() Set {
	s := a.s
	a.s = Set{}
	return s
}

// Builder collects rows in any order. The zero value is ready. For one goroutine.
// Ascending rows are fastest.
type Builder struct {
	parts []part
	last  int // the part of the last row
}

// part collects one block.
type part struct {
	key      uint16
	unsorted bool
	arr      []uint16
	bits     *bitmap
}

// Add adds v to the set. Adding it again has no effect.
func (b *Builder) Add(v uint32) {
	key := uint16(v >> 16)
	if len(b.parts) == 0 || b.parts[b.last].key != key {
		b.last = b.seek(key)
	}
	p := &b.parts[b.last]
	low := uint16(v)
	if p.bits != nil {
		p.bits[low>>6] |= 1 << (low & 63)
		return
	}
	if n := len(p.arr); n > 0 && p.arr[n-1] >= low {
		if p.arr[n-1] == low {
			return
		}
		p.unsorted = true
	}
	if len(p.arr) == arrayMax {
		p.widen()
		p.bits[low>>6] |= 1 << (low & 63)
		return
	}
	p.arr = append(p.arr, low)
}

// Empty reports whether nothing was added yet.
func (b *Builder) Empty() bool { return len(b.parts) == 0 }

func (b *Builder) seek(key uint16) int {
	i, found := slices.BinarySearchFunc(b.parts, key, func(p part, k uint16) int { return int(p.key) - int(k) })
	if !found {
		b.parts = slices.Insert(b.parts, i, part{key: key})
	}
	return i
}

func (p *part) widen() {
	p.bits = new(bitmap)
	p.bits.set(p.arr)
	p.arr = nil
}

// Set returns the collected set. The Builder is empty afterwards.
func (b *Builder) Set() Set {
	var a Assembler
	for i := range b.parts {
		p := &b.parts[i]
		switch {
		case p.bits != nil:
			a.Append(p.key, p.bits.seal())
		default:
			if p.unsorted {
				slices.Sort(p.arr)
				p.arr = slices.Compact(p.arr)
			}
			a.Append(p.key, ofArray(p.arr))
		}
	}
	*b = Builder{}
	return a.Set()
}
