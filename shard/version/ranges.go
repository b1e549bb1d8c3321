package version

import (
	"bytes"
	"cmp"
	"encoding/binary"

	"shoal/shard/docset"
	"shoal/shard/rank/scope"
	"shoal/shard/record"
	"shoal/shard/store"
)

// NumberRange returns the union over the values from <= v <= to.
func (r *Reading) NumberRange(fid uint16, from, to float64) (docset.Set, error) {
	s := r.space
	of := scope.NumbersOf(func(fid uint16, visit func(float64, docset.Set) bool) error { return s.Numbers(fid, false, visit) })
	return rangeOf(r, of, fid, from, &to, func(from float64, to *float64) valueSpan {
		last := store.NumberName(nil, fid, record.OrderedFloat(*to))
		return valueSpan{
			"n", store.TableNumber, store.NumberName(nil, fid, record.OrderedFloat(from)), last,
			func(name []byte) bool { return bytes.Compare(name, last) <= 0 },
		}
	})
}

// StringRange returns the union over the facet forms from <= v < to in byte order. A to
// of "" is no limit.
func (r *Reading) StringRange(fid uint16, from, to string) (docset.Set, error) {
	s := r.space
	of := scope.StringsOf(func(fid uint16, visit func(string, docset.Set) bool) error { return s.Strings(fid, false, visit) })
	limit := &to
	if to == "" {
		limit = nil
	}
	return rangeOf(r, of, fid, from, limit, func(from string, to *string) valueSpan {
		name := store.StringName(nil, fid, []byte(from))
		if to == nil {
			return valueSpan{"s", store.TableString, name, nil, func([]byte) bool { return true }}
		}
		end := store.StringName(nil, fid, []byte(*to))
		return valueSpan{"s", store.TableString, name, end, func(name []byte) bool { return bytes.Compare(name, end) < 0 }}
	})
}

// valueSpan are the values of a field in a value table from one name on, while inside
// holds.
type valueSpan struct {
	kind     string // of value, in keys of the cache
	table    store.Table
	from, to []byte
	inside   func(name []byte) bool
}

// rangeOf returns the documents with a value between two bounds, to nil being none. It
// reads values from the table, unless a column knows most of the documents.
func rangeOf[V cmp.Ordered](r *Reading, of scope.Valued[V], fid uint16, from V, to *V, span func(from V, to *V) valueSpan) (docset.Set, error) {
	s, whole := r.space, span(from, to)
	key := whole.kind + string(whole.from) + string(whole.to)
	if set, ok := s.caches.ranges.get(key); ok {
		return set.docs, nil
	}
	ix := placed{s, r}
	column, err := scope.Ranges(ix, of, fid)
	if err != nil {
		return docset.Set{}, err
	}
	var out docset.Accumulator
	docs, low, high, ok := column.Whole(from, to)
	if ok {
		_, err = s.addValues(&out, span(from, &low))
		if err == nil {
			_, err = s.addValues(&out, span(high, to))
		}
		docs = docs.Or(out.Set())
	} else {
		var n int
		n, err = s.addValues(&out, whole)
		docs = out.Set()
		if err == nil && column == nil {
			err = scope.WalkedRange(ix, of, fid, n)
		}
	}
	if err != nil {
		return docset.Set{}, err
	}
	s.caches.ranges.put(key, ranged{docs: docs})
	return docs, nil
}

// addValues adds the documents of the values of a span, n lists. It adds blocks in stored
// form, without decoding single lists.
func (s *Space) addValues(out *docset.Accumulator, span valueSpan) (n int, err error) {
	for i, part := range s.parts {
		lists, err := part.addRange(out, s.bases[i], span)
		if n += lists; err != nil {
			return n, err
		}
	}
	return n, nil
}

// addRange adds the documents of the values of a span as blocks from base on, and counts
// the lists.
func (c *Version) addRange(out *docset.Accumulator, base uint16, span valueSpan) (n int, err error) {
	prefix := c.keys.Prefix(nil, span.table)
	field := append(bytes.Clone(prefix), span.from[:2]...)
	it := c.Borrow(field)
	defer c.GiveBack(it)
	for more := it.SeekGE(append(bytes.Clone(prefix), span.from...)); more; more = it.Next() {
		key := it.Key()
		if len(key) < len(field)+2 || !span.inside(key[len(prefix):len(key)-2]) {
			break
		}
		n++
		value, err := it.ValueAndErr()
		if err != nil {
			return n, err
		}
		if len(value) == 0 || value[0] != store.OperandSet {
			return n, store.ErrCorruptValue
		}
		if err := out.AddEncoded(base+binary.BigEndian.Uint16(key[len(key)-2:]), value[1:]); err != nil {
			return n, err
		}
	}
	return n, it.Error()
}
