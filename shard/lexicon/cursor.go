package lexicon

import (
	"bytes"
	"encoding/binary"
)

// cursor iterates forward over one run.
type cursor struct {
	r *run
	// word is the present word. The next move overwrites it.
	word  []byte
	count uint32
	// index is the number of the present word, at the offset of the next entry.
	index int
	at    uint64
	done  bool
}

// begin moves to the first word.
func (c *cursor) begin(r *run) {
	c.r, c.index, c.at, c.done = r, -1, 0, false
	c.next()
}

// next moves to the next word.
func (c *cursor) next() {
	c.index++
	if c.index >= c.r.words {
		c.done = true
		return
	}
	data := c.r.data
	shared := uint64(0)
	if c.index%blockWords != 0 {
		shared = c.number(data)
	}
	rest := c.number(data)
	c.word = append(c.word[:shared], data[c.at:c.at+rest]...)
	c.at += rest
	c.count = uint32(c.number(data))
}

// number reads a varint. Nearly all have one byte.
func (c *cursor) number(data []byte) uint64 {
	if b := data[c.at]; b < 0x80 {
		c.at++
		return uint64(b)
	}
	n, size := binary.Uvarint(data[c.at:])
	c.at += uint64(size)
	return n
}

// seek moves forward to the first word not less than target. It never moves back.
func (c *cursor) seek(target []byte) {
	if c.done || bytes.Compare(c.word, target) >= 0 {
		return
	}
	block := c.index / blockWords
	if b := c.r.blockOf(block, target); b != block {
		c.index, c.at = b*blockWords-1, c.r.starts[b]
		c.next()
	}
	for !c.done && bytes.Compare(c.word, target) < 0 {
		c.next()
	}
}

// iterator iterates over the words of a dictionary in byte order: the union of its runs
// without removed words. The newest run with a word decides.
type iterator struct {
	cursors []cursor
	word    []byte
	count   uint32
	done    bool
}

// begin moves to the first word.
func (it *iterator) begin(d *Dictionary) {
	if cap(it.cursors) < len(d.runs) {
		it.cursors = make([]cursor, len(d.runs))
	}
	it.cursors = it.cursors[:len(d.runs)]
	it.done = false
	for i, r := range d.runs {
		it.cursors[i].begin(r)
	}
	it.settle()
}

// next moves to the next word.
func (it *iterator) next() {
	it.pass()
	it.settle()
}

// seek moves forward to the first word not less than target.
func (it *iterator) seek(target []byte) {
	for i := range it.cursors {
		it.cursors[i].seek(target)
	}
	it.settle()
}

// pass advances every cursor on the present word.
func (it *iterator) pass() {
	if len(it.cursors) == 1 {
		it.cursors[0].next()
		return
	}
	newest := -1
	for i := len(it.cursors) - 1; i >= 0; i-- {
		c := &it.cursors[i]
		if c.done || !bytes.Equal(c.word, it.word) {
			continue
		}
		if newest < 0 {
			newest = i // its buffer is the present word, so it moves last
			continue
		}
		c.next()
	}
	if newest >= 0 {
		it.cursors[newest].next()
	}
}

// settle finds the smallest word among the cursors and skips removed ones.
func (it *iterator) settle() {
	for {
		best := -1
		for i := len(it.cursors) - 1; i >= 0; i-- {
			c := &it.cursors[i]
			if !c.done && (best < 0 || bytes.Compare(c.word, it.cursors[best].word) < 0) {
				best = i
			}
		}
		if best < 0 {
			it.done, it.word = true, nil
			return
		}
		it.word, it.count = it.cursors[best].word, it.cursors[best].count
		if it.count > 0 {
			return
		}
		it.pass()
	}
}
