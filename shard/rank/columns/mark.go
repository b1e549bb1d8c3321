package columns

import (
	"math/bits"

	"shoal/shard/docset"
)

// mark records that a word occurs in a document of a block, in a field and at a place:
// the document (16 bits), the bit of the field and that of the place (8 each). The
// marks of a word in a document name each of its fields and each of its places at least
// once. While a block is built, a word has one list of marks and nothing else, so each
// document costs one cache miss.
type mark uint32

// appendMarks appends the marks of a word in a document with the given fields and
// places.
func appendMarks(list []mark, low uint16, fields, places uint32) []mark {
	var f, p int
	for fields|places != 0 {
		if fields != 0 {
			f = bits.TrailingZeros32(fields)
		}
		if places != 0 {
			p = bits.TrailingZeros32(places)
		}
		list = append(list, mark(low)<<16|mark(f)<<8|mark(p))
		fields &= fields - 1
		places &= places - 1
	}
	return list
}

// listedPlaces returns the places that columns list, of all places of a name in a
// document: the near ones, or the nearest of the far ones. Applied to the union of
// several words' listed places, it gives the listed places of the words together.
func listedPlaces(places uint32) uint32 {
	const near = 1<<NearPlaces - 1
	if places&near != 0 {
		return places & near
	}
	return places & -places
}

// bitLists are the documents of a name by field and by place.
type bitLists struct{ lists [spreadBits][]uint16 }

func (l *bitLists) reset() {
	for bit := range l.lists {
		l.lists[bit] = l.lists[bit][:0]
	}
}

func (l *bitLists) add(bit int, low uint16) { l.lists[bit] = append(l.lists[bit], low) }

// take adds the marks of one word, whose documents ascend.
func (l *bitLists) take(marks []mark) {
	for _, m := range marks {
		l.note(int(m>>8&31), uint16(m>>16))
		l.note(32+int(m&31), uint16(m>>16))
	}
}

// note adds a document once.
func (l *bitLists) note(bit int, low uint16) {
	if list := l.lists[bit]; len(list) == 0 || list[len(list)-1] != low {
		l.add(bit, low)
	}
}

// prefixUnion unites the words of a prefix.
type prefixUnion struct {
	// bits are the fields of each document, with the places above them.
	bits []uint64
	seen [docset.Words]uint64
}

// take adds the marks of one word.
func (u *prefixUnion) take(marks []mark) {
	if u.bits == nil {
		u.bits = make([]uint64, 1<<16)
	}
	for _, m := range marks {
		low := m >> 16
		u.bits[low] |= 1<<(m>>8&31) | 1<<(32+m&31)
		u.seen[low>>6] |= 1 << (low & 63)
	}
}

// docs returns the number of documents.
func (u *prefixUnion) docs() (n int) {
	for _, w := range u.seen {
		n += bits.OnesCount64(w)
	}
	return n
}

// flush moves everything to lists.
func (u *prefixUnion) flush(to *bitLists) {
	u.each(func(low uint16) {
		to.add(32+wholeBit, low)
		for f := uint32(u.bits[low]); f != 0; f &= f - 1 {
			to.add(bits.TrailingZeros32(f), low)
		}
		for p := listedPlaces(uint32(u.bits[low] >> 32)); p != 0; p &= p - 1 {
			to.add(32+bits.TrailingZeros32(p), low)
		}
	})
}

// reset forgets everything.
func (u *prefixUnion) reset() { u.each(func(uint16) {}) }

// each calls f for each document in order and forgets the document.
func (u *prefixUnion) each(f func(low uint16)) {
	for i, w := range u.seen {
		for ; w != 0; w &= w - 1 {
			low := uint16(i<<6 | bits.TrailingZeros64(w))
			f(low)
			u.bits[low] = 0
		}
		u.seen[i] = 0
	}
}
