package facet

import (
	"slices"

	"shoal/shard/docset"
)

// maxLists is the largest number of distinguished lists, including prefixes of others.
// It is a variable so that tests can reach both branches.
var maxLists = 1 << 18

// lists finds the documents with the same list of values, while values arrive in
// ascending order. A list is represented by the list without its last value, and that
// value. Nothing is copied, and each value of a document takes one step.
type lists struct {
	of []uint32 // the number of a document's list; 0 is the empty one
	// List n is list before[n] followed by the value last[n].
	before, last []uint32
	// longer[n] is list n followed by the present value, valid if at[n] is that value
	// plus one.
	longer, at []uint32
}

func newLists() *lists {
	l := &lists{}
	l.grow(0, 0)
	return l
}

func (l *lists) grow(before, last uint32) (n uint32) {
	n = uint32(len(l.before))
	l.before, l.last = append(l.before, before), append(l.last, last)
	l.longer, l.at = append(l.longer, 0), append(l.at, 0)
	return n
}

// add appends the next value to the lists of documents. It returns false if there are
// too many lists.
func (l *lists) add(value uint32, docs docset.Set) bool {
	if top, ok := docs.Max(); ok && int(top) >= len(l.of) {
		l.of = append(l.of, make([]uint32, int(top)+1-len(l.of))...)
	}
	var lows []uint16
	for block, docs := range docs.Blocks() {
		lows = docs.AppendTo(lows[:0])
		of := l.of[int(block)<<16:]
		for _, low := range lows {
			n := of[low]
			if l.at[n] != value+1 {
				longer := l.grow(n, value) // may reallocate at and longer
				l.at[n], l.longer[n] = value+1, longer
			}
			of[low] = l.longer[n]
		}
		if len(l.before) > maxLists {
			return false
		}
	}
	return true
}

// column numbers the lists of documents from 1 on and returns their values; nil if
// there are too many, or if they exceed limit bytes.
func (l *lists) column(limit int) *column {
	number := make([]uint32, len(l.before))
	for _, n := range l.of {
		number[n] = 1
	}
	number[0] = 0
	c := &column{from: []uint32{0, 0}, same: true}
	for n := range number {
		if number[n] == 0 {
			continue
		}
		number[n] = uint32(len(c.from) - 1)
		for at := uint32(n); at != 0; at = l.before[at] {
			c.ids = append(c.ids, l.last[at])
		}
		slices.Reverse(c.ids[c.from[len(c.from)-1]:])
		c.several = c.several || len(c.ids) > len(c.from)-1
		c.same = c.same && len(c.ids) == len(c.from)-1 && int(c.ids[len(c.ids)-1]) == len(c.ids)-1
		c.from = append(c.from, uint32(len(c.ids)))
		if len(c.from) > shortIDs || 4*(len(c.ids)+len(c.from))+2*len(l.of) > limit {
			return nil
		}
	}
	c.list = make([]uint16, len(l.of))
	for ord, n := range l.of {
		c.list[ord] = uint16(number[n])
	}
	return c
}
