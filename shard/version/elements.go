package version

import (
	"bytes"
	"encoding/binary"

	"shoal/shard/docset"
	"shoal/shard/element"
	"shoal/shard/store"
)

// Elements returns the objects of arrays with a value in a range.
func (s *Space) Elements(r *element.Range) (element.Set, error) {
	key := "a" + r.Key()
	if kept, ok := s.caches.ranges.get(key); ok {
		return kept.elements, nil
	}
	var out element.Collector
	for i, part := range s.parts {
		if err := part.addElements(&out, s.bases[i], r); err != nil {
			return nil, err
		}
	}
	set := out.Set()
	s.caches.ranges.put(key, ranged{elements: set})
	return set, nil
}

// addElements adds the objects with a value in a range, as blocks from base on.
func (c *Version) addElements(out *element.Collector, base uint16, r *element.Range) error {
	prefix := c.keys.Prefix(nil, store.TableElement)
	it := c.Borrow(prefix)
	defer c.GiveBack(it)
	for more := it.SeekGE(append(bytes.Clone(prefix), r.Start()...)); more; more = it.Next() {
		key := it.Key()
		name, block := key[len(prefix):len(key)-2], binary.BigEndian.Uint16(key[len(key)-2:])
		place, verdict := r.Judge(name)
		switch verdict {
		case element.Outside:
			continue
		case element.Past:
			return it.Error()
		case element.Damaged:
			return store.ErrCorruptValue
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if len(value) == 0 || value[0] != store.OperandSet {
			return store.ErrCorruptValue
		}
		if err := out.At(place).AddEncoded(base+block, value[1:]); err != nil {
			return err
		}
	}
	return it.Error()
}

// ElementsOf returns the elements of a few documents, made from their texts.
func (r *Reading) ElementsOf(docs docset.Set) (*element.List, error) {
	x, list, rows := r.known().elements().New(), new(element.List), docs.AppendTo(nil)
	err := r.space.Documents(rows, func(i int, json []byte) error {
		if err := x.Load(json); err != nil {
			return err
		}
		return x.Elements(func(name []byte) { list.Add(name, rows[i]) })
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}
