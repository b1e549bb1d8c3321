package rank

import (
	"math/bits"

	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/record"
)

// Thresholds of columns; they change no answer. Tests set them to 2.
var (
	// ColumnMin is the number of documents from which on a column is worth having.
	ColumnMin = 256
	// ColumnSweepMax is the size of a shard up to which the first frequent word
	// makes the columns of all frequent words, in one pass over all records.
	ColumnSweepMax = 300_000
)

// column holds, for the documents with one word or with any word of a prefix
// range, where the word stands, as far as attributeRank and wordPosition care:
// the places of all documents side by side, instead of in their records.
type column struct {
	ords []uint32
	// weight is the least weight of a field the word stands in; places is the set
	// of bucketed positions: bit p below 16, bit 16+i for the i-th bucket from 24
	// on; fields is the set of fields, those from OtherFields on as one.
	weight []uint8
	places []uint32
	fields []uint32
}

// OtherFields is the bit of all fields with this or a greater id. It changes no
// answer; tests lower it.
var OtherFields uint16 = 31

func fieldBit(fid uint16) uint32 { return 1 << min(fid, OtherFields) }

// columnKey names the documents with a word, or with any word that starts with a
// prefix, up to last ("" is no limit); with tolerant, by tolerant occurrences only
// (sets, not columns).
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
	var by [query.MaxPosition*3 + 1]uint32
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

// of is the least cost of a set of places, which is not empty.
func (p *positionCosts) of(places uint32) uint32 {
	for i, mask := range p.masks {
		if places&mask != 0 {
			return p.costs[i]
		}
	}
	return absent
}

// newColumn returns an empty column with room for n documents.
func newColumn(n int) *column {
	return &column{
		ords: make([]uint32, 0, n), weight: make([]uint8, 0, n), places: make([]uint32, 0, n), fields: make([]uint32, 0, n),
	}
}

func (c *column) add(ord uint32, weight uint8, places, fields uint32) {
	if n := len(c.ords); n > 0 && c.ords[n-1] == ord {
		c.weight[n-1] = min(c.weight[n-1], weight)
		c.places[n-1] |= places
		c.fields[n-1] |= fields
		return
	}
	c.ords = append(c.ords, ord)
	c.weight = append(c.weight, weight)
	c.places = append(c.places, places)
	c.fields = append(c.fields, fields)
}

func (c *column) bytes() int { return 13*len(c.ords) + 128 }

// columnKeys returns the columns that together cover the single words of a node.
// ok is false when no column can be of use.
func (s *Session) columnKeys(ref query.Ref) (keys []columnKey, ok bool) {
	if s.restricted || s.schema.maxWeight > maxColumnWeight {
		return nil, false
	}
	keys, _ = s.nodeKeys(ref)
	return keys, true
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

// keptColumn returns a kept column, brought up to date, nil without one.
func (s *Session) keptColumn(key columnKey) (*column, error) {
	c, stale, ok := find(s.ix.Memo(), s.schema, columnsOf, key)
	if !ok || stale.Empty() {
		return c, nil
	}
	if stale.Len() > ColumnMin+len(c.ords)/4 {
		return nil, nil
	}
	docs, err := s.columnDocs(key)
	if err != nil {
		return nil, err
	}
	fresh, err := s.makeColumn(key, docs.And(stale))
	if err != nil {
		return nil, err
	}
	c = c.patched(stale, fresh)
	s.keepColumn(key, c)
	return c, nil
}

func (s *Session) keepColumn(key columnKey, c *column) {
	keep(s.ix.Memo(), s.schema, columnsOf, key, c, c.bytes())
}

// patched returns the column without the stale documents and with the fresh ones.
func (c *column) patched(stale docset.Set, fresh *column) *column {
	out := newColumn(len(c.ords) + len(fresh.ords))
	k := 0
	for i, ord := range c.ords {
		for k < len(fresh.ords) && fresh.ords[k] <= ord {
			out.add(fresh.ords[k], fresh.weight[k], fresh.places[k], fresh.fields[k])
			k++
		}
		if !stale.Contains(ord) {
			out.add(ord, c.weight[i], c.places[i], c.fields[i])
		}
	}
	for ; k < len(fresh.ords); k++ {
		out.add(fresh.ords[k], fresh.weight[k], fresh.places[k], fresh.fields[k])
	}
	return out
}

// column returns a column for ranking n documents: the kept one, or one made from
// the records of its documents if these are not many more; nil otherwise.
func (s *Session) column(key columnKey, n int) (*column, error) {
	if c, err := s.keptColumn(key); c != nil || err != nil {
		return c, err
	}
	set, err := s.columnDocs(key)
	if err != nil {
		return nil, err
	}
	if s.ix.Memo().spend(s.schema, n, s.ix.Live().Len()) {
		if err := s.sweep(); err != nil {
			return nil, err
		}
		if c, err := s.keptColumn(key); c != nil || err != nil {
			return c, err
		}
	}
	if set.Len() > 2*n {
		return nil, nil
	}
	c, err := s.makeColumn(key, set)
	if err == nil {
		s.keepColumn(key, c)
	}
	return c, err
}

// makeColumn reads the records of the documents of a column.
func (s *Session) makeColumn(key columnKey, docs docset.Set) (*column, error) {
	c := newColumn(docs.Len())
	d := document{session: s}
	err := s.eachRecord(docs, func(ord uint32, t record.Tokens) bool {
		d.tokens = t
		d.eachWord(key, func(e record.Entry) bool {
			s.schema.addPlaces(c, ord, e)
			return true
		})
		return true
	})
	return c, err
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

// addPlaces adds the places of one word of a document to a column.
func (s *Schema) addPlaces(c *column, ord uint32, e record.Entry) {
	weight, places, fields := s.placesOf(e)
	c.add(ord, weight, places, fields)
}

func (s *Schema) placesOf(e record.Entry) (weight uint8, places, fields uint32) {
	weight = 255
	field := -1
	p := e.Places()
	for o, ok := p.Next(); ok; o, ok = p.Next() {
		if int(o.Field) != field {
			field = int(o.Field)
			fields |= fieldBit(o.Field)
			if w, ok := s.fieldWeight(o.Field); ok && w < uint32(weight) {
				weight = uint8(w)
			}
		}
		places |= placeBit(o.Position)
	}
	return weight, places, fields
}
