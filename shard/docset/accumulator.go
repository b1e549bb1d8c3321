package docset

import (
	"encoding/binary"
	"slices"
)

// Accumulator computes the union of many containers, stored ones without decoding them
// first. The zero value is ready. For one goroutine.
type Accumulator struct {
	parts []accumulated
	last  int
}

// accumulated is one block: few values in a list, many in a bitmap.
type accumulated struct {
	key  uint16
	few  []uint16 // unordered
	many *bitmap
}

// fewMax is the largest number of values in a list.
const fewMax = 256

// AddEncoded adds a container in the form of Container.AppendBinary under the high half
// key. Damaged input gives an error.
func (a *Accumulator) AddEncoded(key uint16, data []byte) error {
	n, w := binary.Uvarint(data)
	if w <= 0 || n > 1<<16 {
		return errCorrupt
	}
	data = data[w:]
	p := a.part(key)
	if n > arrayMax {
		if len(data) < 8*words {
			return errCorrupt
		}
		p.widen()
		for i := range p.many {
			p.many[i] |= binary.LittleEndian.Uint64(data[8*i:])
		}
		return nil
	}
	if len(data) < 2*int(n) {
		return errCorrupt
	}
	if p.many == nil && len(p.few)+int(n) > fewMax {
		p.widen()
	}
	data = data[:2*n]
	if p.many == nil {
		for i := 0; i < len(data); i += 2 {
			p.few = append(p.few, uint16(data[i])|uint16(data[i+1])<<8)
		}
		return nil
	}
	for i := 0; i < len(data); i += 2 {
		v := uint16(data[i]) | uint16(data[i+1])<<8
		p.many[v>>6] |= 1 << (v & 63)
	}
	return nil
}

// AddRows adds rows in any order.
func (a *Accumulator) AddRows(rows []uint32) {
	var blocks []*bitmap
	for _, row := range rows {
		key := int(row >> 16)
		if key >= len(blocks) {
			blocks = append(blocks, make([]*bitmap, key+1-len(blocks))...)
		}
		if blocks[key] == nil {
			blocks[key] = new(bitmap)
		}
		blocks[key][row>>6&(words-1)] |= 1 << (row & 63)
	}
	for key, b := range blocks {
		if b == nil {
			continue
		}
		p := a.part(uint16(key))
		p.widen()
		for i, w := range b {
			p.many[i] |= w
		}
	}
}

// Add adds a whole set.
func (a *Accumulator) Add(s Set) {
	for i := range s.blocks {
		b := &s.blocks[i]
		p := a.part(b.key)
		if p.many == nil && len(p.few)+b.c.Len() <= fewMax {
			p.few = append(p.few, b.c.arr...)
			continue
		}
		p.widen()
		p.many.or(b.c)
	}
}

// AddAnd adds what both sets have, without building it where it is dense.
func (a *Accumulator) AddAnd(s, t Set) {
	s.pairs(t, func(key uint16, c, d Container) bool {
		if c.bits == nil || d.bits == nil {
			if both := c.And(d); both.n > 0 {
				a.Add(Set{n: int(both.n), blocks: []block{{key, both}}})
			}
			return true
		}
		p := a.part(key)
		p.widen()
		for i, w := range c.bits {
			p.many[i] |= w & d.bits[i]
		}
		return true
	})
}

func (a *Accumulator) part(key uint16) *accumulated {
	if a.last < len(a.parts) && a.parts[a.last].key == key {
		return &a.parts[a.last]
	}
	i, found := slices.BinarySearchFunc(a.parts, key, func(p accumulated, k uint16) int { return int(p.key) - int(k) })
	if !found {
		a.parts = slices.Insert(a.parts, i, accumulated{key: key})
	}
	a.last = i
	return &a.parts[i]
}

func (p *accumulated) widen() {
	if p.many != nil {
		return
	}
	p.many = new(bitmap)
	p.many.set(p.few)
	p.few = nil
}

// Set returns the union. The Accumulator is empty afterwards.
func (a *Accumulator) Set() Set {
	var out Assembler
	for i := range a.parts {
		p := &a.parts[i]
		if p.many != nil {
			out.Append(p.key, p.many.seal())
			continue
		}
		slices.Sort(p.few)
		out.Append(p.key, ofArray(slices.Compact(p.few)))
	}
	*a = Accumulator{}
	return out.Set()
}
