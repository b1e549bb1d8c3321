package version

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/shard/store"
)

// readSet reads one posting list of a table whose keys begin with the name.
func (c *Version) readSet(t store.Table, name []byte) (docset.Set, error) {
	prefix := append(c.keys.Prefix(nil, t), name...)
	it := c.Borrow(prefix)
	defer c.GiveBack(it)
	var out docset.Assembler
	for more := it.First(); more; more = it.Next() {
		key := it.Key()
		if len(key) != len(prefix)+2 {
			break
		}
		if err := appendBlock(&out, binary.BigEndian.Uint16(key[len(prefix):]), it.ValueAndErr); err != nil {
			return docset.Set{}, err
		}
	}
	return out.Set(), it.Error()
}

func appendBlock(out *docset.Assembler, block uint16, value func() ([]byte, error)) error {
	v, err := value()
	if err != nil {
		return err
	}
	container, err := store.DecodePosting(v)
	if err != nil {
		return err
	}
	out.Append(block, container)
	return nil
}

// groups returns the number of groups of rows in use.
func (c *Version) groups() uint16 {
	last, ok := c.live.Max()
	if !ok {
		return 0
	}
	return uint16(last>>store.GroupShift) + 1
}

// readWord reads the documents of one word.
func (c *Version) readWord(t store.Table, word string) (docset.Set, error) {
	var it *pebble.Iterator
	var out docset.Assembler
	var prefix []byte
	for g := range c.groups() {
		prefix = store.AppendTerminated(binary.BigEndian.AppendUint16(c.keys.Prefix(prefix[:0], t), g), []byte(word))
		if it == nil {
			it = c.Borrow(prefix)
			defer c.GiveBack(it)
		} else {
			store.Narrow(it, prefix)
		}
		for more := it.First(); more; more = it.Next() {
			key := it.Key()
			if len(key) != len(prefix)+1 {
				break
			}
			if err := appendBlock(&out, g<<4|uint16(key[len(prefix)]), it.ValueAndErr); err != nil {
				return docset.Set{}, err
			}
		}
		if err := it.Error(); err != nil {
			return docset.Set{}, err
		}
	}
	return out.Set(), nil
}

// addPrefix adds the documents of all words with a prefix, up to and including last (""
// is no limit), as blocks from base on.
func (c *Version) addPrefix(out *docset.Accumulator, base uint16, t store.Table, prefix, last string) error {
	var it *pebble.Iterator
	var lo, limit []byte
	for g := range c.groups() {
		head := binary.BigEndian.AppendUint16(c.keys.Prefix(nil, t), g)
		lo = store.AppendEscaped(append(lo[:0], head...), []byte(prefix))
		limit = limit[:0]
		if last != "" {
			limit = append(store.AppendTerminated(append(limit, head...), []byte(last)), 0xff)
		}
		if it == nil {
			it = c.Borrow(lo)
			defer c.GiveBack(it)
		} else {
			store.Narrow(it, lo)
		}
		for more := it.First(); more; more = it.Next() {
			key := it.Key()
			if len(limit) > 0 && bytes.Compare(key, limit) > 0 {
				break
			}
			value, err := it.ValueAndErr()
			if err != nil {
				return err
			}
			if len(value) == 0 || value[0] != store.OperandSet {
				return store.ErrCorruptValue
			}
			if err := out.AddEncoded(base+(g<<4|uint16(key[len(key)-1])), value[1:]); err != nil {
				return err
			}
		}
		if err := it.Error(); err != nil {
			return err
		}
	}
	return nil
}

// numberOf decodes the value part of a number key.
func numberOf(rest []byte) (float64, error) {
	if len(rest) != 8 {
		return math.NaN(), store.ErrCorruptValue
	}
	return record.FloatOf(binary.BigEndian.Uint64(rest)), nil
}

// stringOf decodes the value part of a string key.
func stringOf(rest []byte) ([]byte, error) {
	s, left, ok := store.CutTerminated(rest)
	if !ok || len(left) != 0 {
		return nil, store.ErrCorruptValue
	}
	return s, nil
}
