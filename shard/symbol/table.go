package symbol

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
	"slices"
	"unsafe"
)

// The seeds differ between processes, so that nobody can choose names that collide.
// Numbers do not depend on them.
var (
	seed             = maphash.MakeSeed()
	shortOne, lenOne = rand.Uint64(), rand.Uint64() | 1
)

// Table assigns names the numbers 0, 1, 2 and so on, in order of first appearance. The
// zero value is empty. It stores copies of the names. For one goroutine, except that
// Find and Name are safe while nothing is added.
type Table struct {
	slots []slot // a power of two, at most half of them used
	text  []byte
	ends  []int // of each name in text
}

// slot is one slot of the hash table. A free slot has the number 0. For short names,
// which most words are, head and length are the whole name, so the text need not be
// read.
type slot struct {
	head   uint64 // Head of the name
	length uint32
	number uint32 // number plus one
}

// headBytes is the greatest length of a name that Head contains completely.
const headBytes = 8

// hash returns the hash of a name with a head.
func hash(name string, head uint64) uint64 {
	if len(name) > headBytes {
		return maphash.String(seed, name)
	}
	hi, lo := bits.Mul64(head^shortOne, lenOne*uint64(2*len(name)+1))
	return hi ^ lo
}

// leastSlots is the initial size of a table.
const leastSlots = 64

// Len returns the number of names.
func (t *Table) Len() int { return len(t.ends) }

// Bytes returns the memory of the table.
func (t *Table) Bytes() int { return 16*cap(t.slots) + cap(t.text) + 8*cap(t.ends) }

// Name returns the name of a number below Len, valid until Reset. Do not modify it.
func (t *Table) Name(n uint32) []byte {
	from := 0
	if n > 0 {
		from = t.ends[n-1]
	}
	return t.text[from:t.ends[n]:t.ends[n]]
}

// Find returns the number of a name. ok is false if it has none.
func (t *Table) Find(name []byte) (n uint32, ok bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	s := t.slot(view(name), Head(view(name)))
	return s.number - 1, s.number > 0
}

// Number returns the number of a name and assigns the next one if it has none.
func (t *Table) Number(name []byte) uint32 { return t.NumberOf(view(name)) }

// NumberOf is Number for a string.
func (t *Table) NumberOf(name string) uint32 {
	if 2*len(t.ends) >= len(t.slots) {
		t.grow(max(leastSlots, 2*len(t.slots)))
	}
	h := Head(name)
	s := t.slot(name, h)
	if s.number == 0 {
		t.text = append(t.text, name...)
		t.ends = append(t.ends, len(t.text))
		*s = slot{h, uint32(len(name)), uint32(len(t.ends))}
	}
	return s.number - 1
}

// slot returns the slot of a name with a head, or the free one that it would get.
func (t *Table) slot(name string, head uint64) *slot {
	mask := uint64(len(t.slots) - 1)
	for i := hash(name, head) & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.number == 0 || s.head == head && int(s.length) == len(name) && (len(name) <= headBytes || string(t.Name(s.number-1)) == name) {
			return s
		}
	}
}

// view returns a string over a name, for the duration of a call.
func view(name []byte) string { return unsafe.String(unsafe.SliceData(name), len(name)) }

// Grow makes room for n names.
func (t *Table) Grow(n int) {
	if 2*n > len(t.slots) {
		t.grow(max(leastSlots, 1<<bits.Len(uint(2*n-1))))
	}
}

// grow resizes the hash table.
func (t *Table) grow(size int) {
	t.slots = make([]slot, size)
	mask := uint64(size - 1)
	for n := range t.ends {
		name := view(t.Name(uint32(n)))
		h := Head(name)
		i := hash(name, h) & mask
		for t.slots[i].number != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = slot{h, uint32(len(name)), uint32(n + 1)}
	}
}

// Sorted appends the numbers of all names, in the order of names, to buf and returns
// it.
func (t *Table) Sorted(buf []uint32) []uint32 {
	keys := make([]key, len(t.ends))
	for n := range keys {
		keys[n] = key{Head(view(t.Name(uint32(n)))), uint32(n)}
	}
	slices.SortFunc(keys, func(a, b key) int {
		if a.head != b.head {
			return cmp.Compare(a.head, b.head)
		}
		return bytes.Compare(t.Name(a.number), t.Name(b.number))
	})
	buf = slices.Grow(buf, len(keys))
	for i := range keys {
		buf = append(buf, keys[i].number)
	}
	return buf
}

// key is the sort key of a name.
type key struct {
	head   uint64
	number uint32
}

// Head returns the beginning of a name as a number. Of two names with different heads,
// the one with the lesser head comes first.
func Head(name string) uint64 {
	b := unsafe.Slice(unsafe.StringData(name), len(name))
	switch n := len(b); {
	case n >= headBytes:
		return binary.BigEndian.Uint64(b)
	case n >= 4: // two overlapping halves
		return uint64(binary.BigEndian.Uint32(b))<<32 | uint64(binary.BigEndian.Uint32(b[n-4:]))<<(8*(headBytes-n))
	case n > 0:
		return uint64(b[0])<<56 | uint64(b[n/2])<<(56-8*(n/2)) | uint64(b[n-1])<<(56-8*(n-1))
	}
	return 0
}

// Reset removes all names and keeps the memory.
func (t *Table) Reset() {
	clear(t.slots)
	t.text, t.ends = t.text[:0], t.ends[:0]
}
