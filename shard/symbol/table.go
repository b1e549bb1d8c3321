package symbol

import (
	"hash/maphash"
	"math/bits"
)

// seed is another one in every process, so that nobody can choose names that collide.
// Numbers do not depend on it.
var seed = maphash.MakeSeed()

// Table gives names the numbers 0, 1, 2 and so on, in the order in which they come
// first. The zero value is empty. It keeps copies of the names, one after the other. For
// one goroutine, but for Find and Name while nothing is added.
type Table struct {
	slots []slot // a power of two, at most half of them used
	text  []byte
	ends  []int // of each name in text
}

// slot is one place of the hash table. One that is free has the number 0.
type slot struct {
	hash   uint32
	number uint32 // and one more
}

// leastSlots is the size at which a table begins.
const leastSlots = 64

// Len is how many names there are.
func (t *Table) Len() int { return len(t.ends) }

// Bytes is the memory that the table takes.
func (t *Table) Bytes() int { return 8*cap(t.slots) + cap(t.text) + 8*cap(t.ends) }

// Name returns the name of a number below Len, valid until Reset. It is not to be changed.
func (t *Table) Name(n uint32) []byte {
	from := 0
	if n > 0 {
		from = t.ends[n-1]
	}
	return t.text[from:t.ends[n]:t.ends[n]]
}

// Find returns the number of a name; ok is false when it has none.
func (t *Table) Find(name []byte) (n uint32, ok bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	s := t.slot(maphash.Bytes(seed, name), name)
	return s.number - 1, s.number > 0
}

// Number returns the number of a name, which gets the next one if it has none.
func (t *Table) Number(name []byte) uint32 {
	if 2*len(t.ends) >= len(t.slots) {
		t.grow(max(leastSlots, 2*len(t.slots)))
	}
	h := maphash.Bytes(seed, name)
	s := t.slot(h, name)
	if s.number == 0 {
		t.text = append(t.text, name...)
		t.ends = append(t.ends, len(t.text))
		*s = slot{uint32(h >> 32), uint32(len(t.ends))}
	}
	return s.number - 1
}

// slot returns the place of a name, or the free one that it would have.
func (t *Table) slot(h uint64, name []byte) *slot {
	mask := uint64(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.number == 0 || s.hash == uint32(h>>32) && string(t.Name(s.number-1)) == string(name) {
			return s
		}
	}
}

// Grow makes room for n names.
func (t *Table) Grow(n int) {
	if 2*n > len(t.slots) {
		t.grow(max(leastSlots, 1<<bits.Len(uint(2*n-1))))
	}
}

// grow makes the hash table as large.
func (t *Table) grow(size int) {
	t.slots = make([]slot, size)
	mask := uint64(size - 1)
	for n := range t.ends {
		h := maphash.Bytes(seed, t.Name(uint32(n)))
		i := h & mask
		for t.slots[i].number != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = slot{uint32(h >> 32), uint32(n + 1)}
	}
}

// Reset forgets all names and keeps the memory.
func (t *Table) Reset() {
	clear(t.slots)
	t.text, t.ends = t.text[:0], t.ends[:0]
}
