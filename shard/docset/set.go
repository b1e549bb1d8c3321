package docset

import (
	"iter"
	"math/bits"
)

// block is one container with the high half of its rows.
type block struct {
	key uint16
	c   Container
}

// Set is an immutable sorted set of rows. The zero value is empty; copying is
// cheap. Safe for concurrent use.
type Set struct {
	n      int
	blocks []block // by key; none is empty
}

// Of returns the set of the given rows, which must be ascending. Duplicates count
// once.
func Of(sorted ...uint32) Set { return FromSorted(sorted) }

// FromSorted returns the set of the given rows, which must be ascending. Duplicates
// count once. The slice is not retained.
func FromSorted(sorted []uint32) Set {
	var a Assembler
	for i := 0; i < len(sorted); {
		key := uint16(sorted[i] >> 16)
		j := i
		for j < len(sorted) && uint16(sorted[j]>>16) == key {
			j++
		}
		arr := make([]uint16, 0, j-i)
		for k, v := range sorted[i:j] {
			if k == 0 || v != sorted[i+k-1] {
				arr = append(arr, uint16(v))
			}
		}
		a.Append(key, ContainerOf(arr))
		i = j
	}
	return a.Set()
}

// Range returns the set of all rows in [lo, hi).
func Range(lo, hi uint32) Set {
	if lo >= hi {
		return Set{}
	}
	last := hi - 1
	var a Assembler
	for key := lo >> 16; key <= last>>16; key++ {
		from, to := uint32(0), uint32(1<<16-1)
		if key == lo>>16 {
			from = lo & 0xffff
		}
		if key == last>>16 {
			to = last & 0xffff
		}
		a.Append(uint16(key), rangeContainer(from, to))
	}
	return a.Set()
}

// Len returns the number of rows.
func (s Set) Len() int { return s.n }

// Empty reports whether the set has no row.
func (s Set) Empty() bool { return s.n == 0 }

// find returns the index of the first block whose key is >= key.
func (s Set) find(key uint16) int {
	lo, hi := 0, len(s.blocks)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if s.blocks[mid].key < key {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// Contains reports whether v is in the set.
func (s Set) Contains(v uint32) bool {
	key := uint16(v >> 16)
	i := s.find(key)
	return i < len(s.blocks) && s.blocks[i].key == key && s.blocks[i].c.Contains(uint16(v))
}

// Min returns the smallest row. ok is false if the set is empty.
func (s Set) Min() (v uint32, ok bool) {
	if s.n == 0 {
		return 0, false
	}
	b := &s.blocks[0]
	return uint32(b.key)<<16 | uint32(b.c.min()), true
}

// Max returns the largest row. ok is false if the set is empty.
func (s Set) Max() (v uint32, ok bool) {
	if s.n == 0 {
		return 0, false
	}
	b := &s.blocks[len(s.blocks)-1]
	return uint32(b.key)<<16 | uint32(b.c.max()), true
}

// Equal reports whether both have the same rows.
func (s Set) Equal(t Set) bool {
	if s.n != t.n || len(s.blocks) != len(t.blocks) {
		return false
	}
	for i := range s.blocks {
		if s.blocks[i].key != t.blocks[i].key || !s.blocks[i].c.Equal(t.blocks[i].c) {
			return false
		}
	}
	return true
}

// Each calls f for every row in ascending order until f returns false.
func (s Set) Each(f func(uint32) bool) {
	for i := range s.blocks {
		b := &s.blocks[i]
		high := uint32(b.key) << 16
		if b.c.bits == nil {
			for _, v := range b.c.arr {
				if !f(high | uint32(v)) {
					return
				}
			}
			continue
		}
		for j, w := range b.c.bits {
			for w != 0 {
				if !f(high | uint32(j<<6|bits.TrailingZeros64(w))) {
					return
				}
				w &= w - 1
			}
		}
	}
}

// All returns an iterator over the rows in ascending order.
func (s Set) All() iter.Seq[uint32] { return s.Each }

// AppendTo appends the rows in ascending order to buf and returns it.
func (s Set) AppendTo(buf []uint32) []uint32 {
	if free := cap(buf) - len(buf); free < s.n {
		grown := make([]uint32, len(buf), len(buf)+s.n)
		copy(grown, buf)
		buf = grown
	}
	for i := range s.blocks {
		b := &s.blocks[i]
		buf = b.c.appendRange(buf, uint32(b.key)<<16, 0, 1<<16)
	}
	return buf
}

// HasRange reports whether a row from lo on and below hi is in the set, which are as for AppendRange.
func (s Set) HasRange(lo, hi uint32) bool {
	i := s.find(uint16(lo >> 16))
	if i == len(s.blocks) || s.blocks[i].key != uint16(lo>>16) {
		return false
	}
	first := lo &^ 0xffff
	return s.blocks[i].c.hasRange(lo-first, hi-first)
}

// AppendRange appends the rows from lo on and below hi in ascending order to buf and returns it.
// lo and hi are multiples of 64 in the same block of 2^16, or hi is the first of the next block.
func (s Set) AppendRange(buf []uint32, lo, hi uint32) []uint32 {
	key := uint16(lo >> 16)
	if i := s.find(key); i < len(s.blocks) && s.blocks[i].key == key {
		first := uint32(key) << 16
		return s.blocks[i].c.appendRange(buf, first, lo-first, hi-first)
	}
	return buf
}

// Sample returns n of the rows, or all if there are fewer, ascending and evenly
// spread over the set.
func (s Set) Sample(n int) []uint32 {
	n = min(n, s.n)
	out := make([]uint32, 0, n)
	before := 0 // rows in the previous blocks
	for i := range s.blocks {
		b := &s.blocks[i]
		high, size := uint32(b.key)<<16, b.c.Len()
		word, passed := 0, 0 // the present word of a bitset, and the rows in the words before
		for len(out) < n {
			at := len(out)*s.n/n - before
			if at >= size {
				break
			}
			if b.c.bits == nil {
				out = append(out, high|uint32(b.c.arr[at]))
				continue
			}
			for c := bits.OnesCount64(b.c.bits[word]); passed+c <= at; c = bits.OnesCount64(b.c.bits[word]) {
				passed += c
				word++
			}
			w := b.c.bits[word]
			for range at - passed {
				w &= w - 1
			}
			out = append(out, high|uint32(word<<6|bits.TrailingZeros64(w)))
		}
		before += size
	}
	return out
}

// First returns the set of the n smallest rows, or all if there are fewer.
func (s Set) First(n int) Set {
	if n >= s.n {
		return s
	}
	if n <= 0 {
		return Set{}
	}
	out := Set{n: n}
	for i := range s.blocks {
		b := s.blocks[i]
		if n < b.c.Len() {
			b.c = b.c.first(n)
		}
		out.blocks = append(out.blocks, b)
		if n -= b.c.Len(); n == 0 {
			break
		}
	}
	return out
}

// Blocks returns the containers with the high halves of their rows, ascending.
func (s Set) Blocks() iter.Seq2[uint16, Container] {
	return func(yield func(uint16, Container) bool) {
		for i := range s.blocks {
			if !yield(s.blocks[i].key, s.blocks[i].c) {
				return
			}
		}
	}
}

// Block returns the container of the rows whose high half is key.
func (s Set) Block(key uint16) Container {
	if i := s.find(key); i < len(s.blocks) && s.blocks[i].key == key {
		return s.blocks[i].c
	}
	return Container{}
}

// Joined returns the union of sets that begin at multiples of 2^16: each element of
// sets[i] is moved up by bases[i] blocks. Bases ascend, and no set reaches the base of
// the next one. Containers are shared.
func Joined(sets []Set, bases []uint16) Set {
	blocks, alone := 0, -1
	for i := range sets {
		if n := len(sets[i].blocks); n > 0 {
			if alone = i; blocks > 0 {
				alone = len(sets)
			}
			blocks += n
		}
	}
	if alone < 0 {
		return Set{}
	}
	if alone < len(sets) && bases[alone] == 0 {
		return sets[alone]
	}
	out := Set{blocks: make([]block, 0, blocks)}
	for i := range sets {
		out.n += sets[i].n
		for _, b := range sets[i].blocks {
			out.blocks = append(out.blocks, block{key: b.key + bases[i], c: b.c})
		}
	}
	return out
}

// Blockwise returns the part of a set in the blocks [from, to), moved down by from
// blocks: the inverse of Joined. Containers are shared.
func (s Set) Blockwise(from, to uint32) Set {
	lo, hi := s.find(uint16(min(from, 1<<16-1))), len(s.blocks)
	if to < 1<<16 {
		hi = s.find(uint16(to))
	}
	if from == 0 && hi == len(s.blocks) {
		return s
	}
	out := Set{blocks: make([]block, 0, hi-lo)}
	for _, b := range s.blocks[lo:hi] {
		out.n += b.c.Len()
		out.blocks = append(out.blocks, block{key: b.key - uint16(from), c: b.c})
	}
	return out
}

// MemBytes estimates the memory of the set, for caches with a budget.
func (s Set) MemBytes() int {
	n := 32 + 48*len(s.blocks)
	for i := range s.blocks {
		if c := &s.blocks[i].c; c.bits != nil {
			n += 8 * words
		} else {
			n += 2 * cap(c.arr)
		}
	}
	return n
}

// Groups yields the set in parts of whole blocks, in order. Each part except the last
// has at least n rows, and no more blocks than needed for that.
func (s Set) Groups(n int) iter.Seq[Set] {
	return func(yield func(Set) bool) {
		if s.n <= n {
			if s.n > 0 {
				yield(s)
			}
			return
		}
		from, count := 0, 0
		for i := range s.blocks {
			if count += s.blocks[i].c.Len(); count < n && i+1 < len(s.blocks) {
				continue
			}
			if !yield(Set{n: count, blocks: s.blocks[from : i+1 : i+1]}) {
				return
			}
			from, count = i+1, 0
		}
	}
}
