package version

import (
	"bytes"
	"encoding/binary"
	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/shard/store"
)

// NumberRange is the union over the values from <= v <= to.
func (v *View) NumberRange(fid uint16, from, to float64) (docset.Set, error) {
	name := store.NumberName(nil, fid, record.OrderedFloat(from))
	last := store.NumberName(nil, fid, record.OrderedFloat(to))
	return v.valueRange("n"+string(name)+string(last), store.TableNumber, name, func(name []byte) bool { return bytes.Compare(name, last) <= 0 })
}

// StringRange is the union over the facet forms from <= v < to in byte order, to
// "" being no bound.
func (v *View) StringRange(fid uint16, from, to string) (docset.Set, error) {
	name := store.StringName(nil, fid, []byte(from))
	if to == "" {
		return v.valueRange("s"+string(name), store.TableString, name, func([]byte) bool { return true })
	}
	end := store.StringName(nil, fid, []byte(to))
	return v.valueRange("s"+string(name)+string(end), store.TableString, name, func(name []byte) bool { return bytes.Compare(name, end) < 0 })
}

// valueRange unites the posting lists of a field from one name on, as long as
// the names are inside. The blocks are added as they are stored: no list of a
// value is decoded by itself. key names the range among those kept for the version.
func (c *Version) valueRange(key string, t store.Table, from []byte, inside func(name []byte) bool) (docset.Set, error) {
	if set, ok := c.caches.ranges.get(key); ok {
		return set, nil
	}
	set, err := c.readRange(t, from, inside)
	if err == nil {
		c.caches.ranges.put(key, set)
	}
	return set, err
}

func (c *Version) readRange(t store.Table, from []byte, inside func(name []byte) bool) (docset.Set, error) {
	prefix := c.keys.Prefix(nil, t)
	field := append(bytes.Clone(prefix), from[:2]...)
	it := c.Borrow()
	defer c.GiveBack(it)
	var out docset.Accumulator
	for more := it.SeekGE(append(bytes.Clone(prefix), from...)); more; more = it.Next() {
		key := it.Key()
		if !bytes.HasPrefix(key, field) || len(key) < len(field)+2 || !inside(key[len(prefix):len(key)-2]) {
			break
		}
		value, err := it.ValueAndErr()
		if err != nil {
			return docset.Set{}, err
		}
		if len(value) == 0 || value[0] != store.OperandSet {
			return docset.Set{}, store.ErrCorruptValue
		}
		if err := out.AddEncoded(binary.BigEndian.Uint16(key[len(key)-2:]), value[1:]); err != nil {
			return docset.Set{}, err
		}
	}
	return out.Set(), it.Error()
}

// StringForms walks the facet forms of a field in byte order until f returns
// false. docs reads the documents of the form and is valid during the call only.
func (v *View) StringForms(fid uint16, f func(form string, docs func() (docset.Set, error)) bool) error {
	prefix := binary.BigEndian.AppendUint16(v.keys.Prefix(nil, store.TableString), fid)
	it := v.Borrow()
	defer v.GiveBack(it)
	var rest []byte
	for more := it.SeekGE(prefix); more; {
		key := it.Key()
		if !bytes.HasPrefix(key, prefix) || len(key) < len(prefix)+2 {
			break
		}
		rest = append(rest[:0], key[len(prefix):len(key)-2]...)
		form, err := stringOf(rest)
		if err != nil {
			return err
		}
		name := string(form)
		if !f(name, func() (docset.Set, error) { return v.String(fid, name) }) {
			return nil
		}
		for more = it.Next(); more && sameValue(it.Key(), prefix, rest); {
			more = it.Next()
		}
	}
	return it.Error()
}
