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

// eachOfWords visits the keys of a table of words that begin with name, group by group. tail is
// what follows the group in a key; it and value are valid during the visit, which tells whether to
// go on with the group.
func (c *Version) eachOfWords(t store.Table, name []byte, visit func(group uint16, tail []byte, value func() ([]byte, error)) (bool, error)) error {
	var it *pebble.Iterator
	var prefix []byte
	for g := range c.groups() {
		prefix = append(binary.BigEndian.AppendUint16(c.keys.Prefix(prefix[:0], t), g), name...)
		if it == nil {
			it = c.Borrow(prefix)
			defer c.GiveBack(it)
		} else {
			store.Narrow(it, prefix)
		}
		head := len(prefix) - len(name)
		for more := it.First(); more; {
			on, err := visit(g, it.Key()[head:], it.ValueAndErr)
			if err != nil {
				return err
			}
			more = on && it.Next()
		}
		if err := it.Error(); err != nil {
			return err
		}
	}
	return nil
}

// readWord reads the documents of one word.
func (c *Version) readWord(t store.Table, word string) (docset.Set, error) {
	var out docset.Assembler
	name := store.AppendTerminated(nil, []byte(word))
	err := c.eachOfWords(t, name, func(g uint16, tail []byte, value func() ([]byte, error)) (bool, error) {
		if len(tail) != len(name)+1 {
			return false, nil
		}
		return true, appendBlock(&out, g<<4|uint16(tail[len(name)]), value)
	})
	if err != nil {
		return docset.Set{}, err
	}
	return out.Set(), nil
}

// addPrefix adds the documents of all words with a prefix, up to and including last (""
// is no limit), as blocks from base on.
func (c *Version) addPrefix(out *docset.Accumulator, base uint16, t store.Table, prefix, last string) error {
	var limit []byte
	if last != "" {
		limit = append(store.AppendTerminated(nil, []byte(last)), 0xff)
	}
	name := store.AppendEscaped(nil, []byte(prefix))
	return c.eachOfWords(t, name, func(g uint16, tail []byte, value func() ([]byte, error)) (bool, error) {
		if len(limit) > 0 && bytes.Compare(tail, limit) > 0 {
			return false, nil
		}
		v, err := value()
		if err != nil {
			return false, err
		}
		if len(v) == 0 || v[0] != store.OperandSet {
			return false, store.ErrCorruptValue
		}
		return true, out.AddEncoded(base+(g<<4|uint16(tail[len(tail)-1])), v[1:])
	})
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
