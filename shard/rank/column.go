package rank

import (
	"math/bits"

	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
)

// Thresholds of columns; they change no answer. Tests set them to 2.
var (
	// ColumnMin is the number of documents from which on a column is worth having,
	// and worth being looked at.
	ColumnMin = 32
	// SmallCell is the number of documents up to which a set is read rather than
	// divided further.
	SmallCell = 64
	// SortChunk is the least number of documents that are put in order at once.
	SortChunk = 256
)

// OtherFields is the bit of all fields with this or a greater id. It changes no
// answer; tests lower it.
var OtherFields uint16 = 31

func fieldBit(fid uint16) uint32 { return 1 << min(fid, OtherFields) }

// columnKey names the documents with a word, or with any word that starts with a
// prefix, up to last ("" is no limit); with tolerant, by tolerant occurrences only.
type columnKey struct {
	text     string
	prefix   bool
	last     string
	tolerant bool
}

// maxColumnWeight is the greatest field weight a column can hold.
const maxColumnWeight = 254

// placeBit is the bit of a position in a set of places.
func placeBit(p uint16) uint32 { return bucketBit(bucketed(p)) }

// bucketBit is the bit of a bucketed position.
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

// placeOf is the bucketed position of a bit.
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

// placeBits is the number of bits of a set of places.
const placeBits = 29

// positionCosts ranks the places by their cost for a term: masks[i] are the places
// of cost costs[i], ascending.
type positionCosts struct {
	masks []uint32
	costs []uint32
}

func newPositionCosts(t *query.Term) positionCosts {
	var by [rule.MaxPosition*3 + 1]uint32
	first := int(t.First)
	for bit := range placeBits {
		d := int(placeOf(bit)) - first
		by[positionCost(uint32(max(d, -d)), uint32(t.Size()))] |= 1 << bit
	}
	var p positionCosts
	for c, mask := range by {
		if mask != 0 {
			p.masks, p.costs = append(p.masks, mask), append(p.costs, uint32(c))
		}
	}
	return p
}

// nodeKeys names the single words of a node: first its word or prefix range, if
// plain tells that there is one, then its typos.
func (s *Session) nodeKeys(ref query.Ref) (keys []columnKey, plain bool) {
	t := &s.terms[ref.Term]
	if ref.Sub&(query.Zero|query.ExactForm) != 0 && !t.IsPhrase() {
		switch {
		case t.UsesCache(ref.Sub):
			keys = append(keys, columnKey{text: t.Text, prefix: true})
		case ref.Sub&query.Zero != 0 && len(t.Extensions) > 0:
			keys = append(keys, columnKey{text: t.Text, prefix: true, last: lastExtension(t)})
		case t.Known:
			keys = append(keys, columnKey{text: t.Text})
		}
	}
	plain = len(keys) > 0
	for _, group := range [2]query.Subset{query.One, query.Two} {
		if ref.Sub&group != 0 {
			for _, w := range typoList(t, group) {
				keys = append(keys, columnKey{text: w})
			}
		}
	}
	return keys, plain
}

func hasPrefix(word []byte, prefix string) bool {
	return len(word) >= len(prefix) && string(word[:len(prefix)]) == prefix
}

// columnDocs returns the documents of a column.
func (s *Session) columnDocs(key columnKey) (docset.Set, error) {
	if key.prefix {
		return s.prefix(&query.Term{Text: key.text}, key.last)
	}
	return s.word(key.text, false)
}
