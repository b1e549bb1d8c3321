package version

import (
	"bytes"
	"encoding/binary"
	"math"

	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/shard/store"
)

// readSet reads one posting list of a table whose keys begin with the name.
func (c *Version) readSet(t store.Table, name []byte) (docset.Set, error) {
	prefix := append(c.keys.Prefix(nil, t), name...)
	it := c.Borrow()
	defer c.GiveBack(it)
	var out docset.Assembler
	for more := it.SeekGE(prefix); more; more = it.Next() {
		key := it.Key()
		if len(key) != len(prefix)+2 || !bytes.HasPrefix(key, prefix) {
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

// groups returns the number of ordinal groups in use.
func (c *Version) groups() uint16 {
	last, ok := c.live.Max()
	if !ok {
		return 0
	}
	return uint16(last>>store.GroupShift) + 1
}

// readWord reads the documents of one word.
func (c *Version) readWord(t store.Table, word string) (docset.Set, error) {
	it := c.Borrow()
	defer c.GiveBack(it)
	var out docset.Assembler
	var prefix []byte
	for g := range c.groups() {
		prefix = store.AppendTerminated(binary.BigEndian.AppendUint16(c.keys.Prefix(prefix[:0], t), g), []byte(word))
		for more := it.SeekGE(prefix); more; more = it.Next() {
			key := it.Key()
			if len(key) != len(prefix)+1 || !bytes.HasPrefix(key, prefix) {
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

// readPrefix reads the union over all words from prefix up to and including last
// ("" is no limit) that start with prefix.
func (c *Version) readPrefix(t store.Table, prefix, last string) (docset.Set, error) {
	it := c.Borrow()
	defer c.GiveBack(it)
	var out docset.Accumulator
	var lo, limit []byte
	for g := range c.groups() {
		head := binary.BigEndian.AppendUint16(c.keys.Prefix(nil, t), g)
		lo = store.AppendEscaped(append(lo[:0], head...), []byte(prefix))
		limit = limit[:0]
		if last != "" {
			limit = append(store.AppendTerminated(append(limit, head...), []byte(last)), 0xff)
		}
		for more := it.SeekGE(lo); more; more = it.Next() {
			key := it.Key()
			if !bytes.HasPrefix(key, lo) || len(limit) > 0 && bytes.Compare(key, limit) > 0 {
				break
			}
			value, err := it.ValueAndErr()
			if err != nil {
				return docset.Set{}, err
			}
			if len(value) == 0 || value[0] != store.OperandSet {
				return docset.Set{}, store.ErrCorruptValue
			}
			if err := out.AddEncoded(g<<4|uint16(key[len(key)-1]), value[1:]); err != nil {
				return docset.Set{}, err
			}
		}
		if err := it.Error(); err != nil {
			return docset.Set{}, err
		}
	}
	return out.Set(), nil
}

// walkValues visits the posting lists of one field in value order: rest is the
// part of the key between field and block.
func (c *Version) walkValues(t store.Table, fid uint16, desc bool, visit func(rest []byte, docs docset.Set) (bool, error)) error {
	prefix := binary.BigEndian.AppendUint16(c.keys.Prefix(nil, t), fid)
	it := c.Borrow()
	defer c.GiveBack(it)
	step, more := it.Next, false
	if desc {
		step = it.Prev
		more = it.SeekLT(store.After(prefix))
	} else {
		more = it.SeekGE(prefix)
	}
	var rest []byte
	for more && bytes.HasPrefix(it.Key(), prefix) && len(it.Key()) >= len(prefix)+2 {
		key := it.Key()
		rest = append(rest[:0], key[len(prefix):len(key)-2]...)
		var out docset.Assembler
		var back []docset.Set // blocks in falling order
		for more && sameValue(it.Key(), prefix, rest) {
			var one docset.Assembler
			into := &out
			if desc {
				into = &one
			}
			block := binary.BigEndian.Uint16(it.Key()[len(prefix)+len(rest):])
			if err := appendBlock(into, block, it.ValueAndErr); err != nil {
				return err
			}
			if desc {
				back = append(back, one.Set())
			}
			more = step()
		}
		docs := out.Set()
		if desc {
			docs = docset.Union(back...)
		}
		if docs.Empty() {
			continue
		}
		if on, err := visit(rest, docs); err != nil || !on {
			return err
		}
	}
	return it.Error()
}

func sameValue(key, prefix, rest []byte) bool {
	return len(key) == len(prefix)+len(rest)+2 && bytes.HasPrefix(key, prefix) && bytes.Equal(key[len(prefix):len(prefix)+len(rest)], rest)
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
