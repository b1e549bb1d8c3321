package version

import (
	"bytes"
	"encoding/binary"

	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/shard/store"
)

// NumberRange returns the union over the values from <= v <= to.
func (s *Space) NumberRange(fid uint16, from, to float64) (docset.Set, error) {
	name := store.NumberName(nil, fid, record.OrderedFloat(from))
	last := store.NumberName(nil, fid, record.OrderedFloat(to))
	return s.valueRange("n"+string(name)+string(last), store.TableNumber, name, func(name []byte) bool { return bytes.Compare(name, last) <= 0 })
}

// StringRange returns the union over the facet forms from <= v < to in byte order. A to
// of "" is no limit.
func (s *Space) StringRange(fid uint16, from, to string) (docset.Set, error) {
	name := store.StringName(nil, fid, []byte(from))
	if to == "" {
		return s.valueRange("s"+string(name), store.TableString, name, func([]byte) bool { return true })
	}
	end := store.StringName(nil, fid, []byte(to))
	return s.valueRange("s"+string(name)+string(end), store.TableString, name, func(name []byte) bool { return bytes.Compare(name, end) < 0 })
}

// valueRange unites the posting lists of a field from one name on, while inside holds.
// It adds blocks in stored form, without decoding single lists. key identifies the
// range in the version's cache.
func (s *Space) valueRange(key string, t store.Table, from []byte, inside func(name []byte) bool) (docset.Set, error) {
	if set, ok := s.caches.ranges.get(key); ok {
		return set.docs, nil
	}
	var out docset.Accumulator
	for i, part := range s.parts {
		if err := part.addRange(&out, s.bases[i], t, from, inside); err != nil {
			return docset.Set{}, err
		}
	}
	set := out.Set()
	s.caches.ranges.put(key, ranged{docs: set})
	return set, nil
}

// addRange adds the documents of the values of a field from one name on, while inside
// holds, as blocks from base on.
func (c *Version) addRange(out *docset.Accumulator, base uint16, t store.Table, from []byte, inside func(name []byte) bool) error {
	prefix := c.keys.Prefix(nil, t)
	field := append(bytes.Clone(prefix), from[:2]...)
	it := c.Borrow(field)
	defer c.GiveBack(it)
	for more := it.SeekGE(append(bytes.Clone(prefix), from...)); more; more = it.Next() {
		key := it.Key()
		if len(key) < len(field)+2 || !inside(key[len(prefix):len(key)-2]) {
			break
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if len(value) == 0 || value[0] != store.OperandSet {
			return store.ErrCorruptValue
		}
		if err := out.AddEncoded(base+binary.BigEndian.Uint16(key[len(key)-2:]), value[1:]); err != nil {
			return err
		}
	}
	return it.Error()
}
