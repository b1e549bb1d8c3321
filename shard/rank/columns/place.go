package columns

import (
	"math/bits"

	"shoal/query"
	"shoal/query/rule"
)

// MinDocs is the least number of documents for which building or using a column is
// worthwhile. It changes no answer; tests set it to 2.
var MinDocs = 32

// OtherFields is the bit shared by all fields with this id or a greater one. It changes
// no answer; tests lower it.
var OtherFields uint16 = 31

// FieldBit returns the bit of a field in a set of fields.
func FieldBit(fid uint16) uint32 { return 1 << min(fid, OtherFields) }

// Key selects the documents with a word, or with any word that starts with a prefix, up
// to last ("" is no limit). With Tolerant, only tolerant occurrences count.
type Key struct {
	Text     string
	Prefix   bool
	Last     string
	Tolerant bool
}

// MaxWeight is the greatest field weight a column can hold.
const MaxWeight = 254

// placeBit returns the bit of a position in a set of places.
func placeBit(p uint16) uint32 { return bucketBit(Bucketed(p)) }

// bucketBit returns the bit of a bucketed position.
func bucketBit(b uint16) uint32 {
	switch {
	case b < 16:
		return 1 << b
	case b == 24:
		return 1 << 16
	case b == 65535:
		return 1 << 28
	}
	return 1 << (17 + bits.TrailingZeros16(b) - 5)
}

// placeOf returns the bucketed position of a bit.
func placeOf(bit int) uint16 {
	switch {
	case bit < 16:
		return uint16(bit)
	case bit == 16:
		return 24
	case bit == 28:
		return 65535
	}
	return 1 << (bit - 17 + 5)
}

// placeBits is the number of bits in a set of places.
const placeBits = 29

// PositionCosts orders the places by their cost for a term: Masks[i] are the places of
// cost Costs[i], ascending.
type PositionCosts struct {
	Masks []uint32
	Costs []uint32
}

// NewPositionCosts orders the places for a term.
func NewPositionCosts(t *query.Term) PositionCosts {
	var by [rule.MaxPosition*3 + 1]uint32
	first := int(t.First)
	for bit := range placeBits {
		d := int(placeOf(bit)) - first
		by[PositionCost(uint32(max(d, -d)), uint32(t.Size()))] |= 1 << bit
	}
	var p PositionCosts
	for c, mask := range by {
		if mask != 0 {
			p.Masks, p.Costs = append(p.Masks, mask), append(p.Costs, uint32(c))
		}
	}
	return p
}

// Absent is the cost or distance of a word that does not occur.
const Absent = ^uint32(0)

// PositionCost returns the cost of a distance from the place in the query, summed over
// the words of an n-gram (spec ranking 5.6).
func PositionCost(distance, size uint32) uint32 {
	if distance == Absent {
		return Absent
	}
	sum := uint32(0)
	for i := range size {
		sum += distanceCost(distance + i)
	}
	return sum
}

func distanceCost(d uint32) uint32 {
	limits := [...]uint32{0, 1, 4, 7, 11, 16, 24, 64, 256, 1024}
	for cost, limit := range limits {
		if d <= limit {
			return uint32(cost)
		}
	}
	return rule.MaxPosition
}

// Bucketed returns the position under which the index would store a word (spec ranking
// 2): exact up to 15, then rounded up.
func Bucketed(p uint16) uint16 {
	switch {
	case p < 16:
		return p
	case p < 24:
		return 24
	}
	b := uint32(32)
	for b < uint32(p) {
		b <<= 1
	}
	return uint16(min(b, 65535))
}
