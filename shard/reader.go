package shard

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/cockroachdb/pebble/v2"
)

// ordinalReader reads the values of one table by ordinal. Ascending ordinals are
// the fast case. For one goroutine.
type ordinalReader struct {
	it     *pebble.Iterator
	prefix []byte
	key    []byte
	at     uint32 // ordinal under the iterator, when valid
	valid  bool
	// alone: the iterator stands on the one key that it was asked for and cannot
	// walk on.
	alone bool
}

// ordinalReader opens a reader; the caller closes it.
func (v *core) ordinalReader(t table) *ordinalReader {
	return &ordinalReader{it: v.borrow(), prefix: v.keys.prefix(nil, t)}
}

// read returns the value of an ordinal, valid until the next call.
func (r *ordinalReader) read(ord uint32) (value []byte, ok bool, err error) {
	r.key = binary.BigEndian.AppendUint32(append(r.key[:0], r.prefix...), ord)
	switch {
	case r.valid && r.at == ord:
	case !r.valid || r.at > ord || ord-r.at > 4:
		// The filters of the upper levels tell most of them not to look for one key.
		r.valid = r.it.SeekPrefixGE(r.key) && r.place()
		r.alone = true
	case r.alone:
		r.valid = r.it.SeekGE(r.key) && r.place()
		r.alone = false
	default:
		// A neighbour: walking is cheaper than seeking.
		for r.valid && r.at < ord {
			r.valid = r.it.Next() && r.place()
		}
	}
	if !r.valid || r.at != ord {
		return nil, false, r.it.Error()
	}
	value, err = r.it.ValueAndErr()
	return value, err == nil, err
}

// place reads the ordinal under the iterator; false outside of the table.
func (r *ordinalReader) place() bool {
	key := r.it.Key()
	if len(key) != len(r.prefix)+4 || !bytes.HasPrefix(key, r.prefix) {
		return false
	}
	r.at = binary.BigEndian.Uint32(key[len(r.prefix):])
	return true
}

// close gives the iterator back to its view.
func (r *ordinalReader) close(v *core) { v.giveBack(r.it) }

// documentReader reads stored documents. For one goroutine.
type documentReader struct {
	v *core
	r *ordinalReader
}

func (v *core) documents() *documentReader {
	return &documentReader{v, v.ordinalReader(tableDocument)}
}

// read returns the external id and the JSON of a document, valid until the next
// call.
func (r *documentReader) read(ord uint32) (id, doc []byte, ok bool, err error) {
	value, ok, err := r.r.read(ord)
	if err != nil || !ok {
		return nil, nil, false, err
	}
	id, doc, err = cutDocument(value)
	return id, doc, err == nil, err
}

func (r *documentReader) close() error {
	r.r.close(r.v)
	return nil
}

// get reads one key; the value is the caller's. A kept iterator has its files open
// already, which costs less than a lookup of its own.
func (v *core) get(key []byte) (value []byte, ok bool, err error) {
	it := v.borrow()
	defer v.giveBack(it)
	if !it.SeekPrefixGE(key) || !bytes.Equal(it.Key(), key) { // as in ordinalReader
		return nil, false, it.Error()
	}
	found, err := it.ValueAndErr()
	if err != nil {
		return nil, false, err
	}
	return bytes.Clone(found), true, nil
}

// ordinalsOf looks up external ids, which must be sorted.
func (v *core) ordinalsOf(sorted []string) (map[string]uint32, error) {
	found := make(map[string]uint32)
	if v.live.Empty() {
		return found, nil
	}
	var key []byte
	if len(sorted) < 16 {
		for _, id := range sorted {
			key = v.keys.id(key[:0], id)
			value, ok, err := v.get(key)
			if err != nil {
				return nil, err
			}
			if ok {
				if len(value) != 4 {
					return nil, errCorruptValue
				}
				found[id] = binary.BigEndian.Uint32(value)
			}
		}
		return found, nil
	}
	it := v.borrow()
	defer v.giveBack(it)
	for _, id := range sorted {
		key = v.keys.id(key[:0], id)
		if !it.SeekGE(key) {
			break
		}
		if !bytes.Equal(it.Key(), key) {
			continue
		}
		value, err := it.ValueAndErr()
		if err != nil || len(value) != 4 {
			return nil, errors.Join(err, errCorruptValue)
		}
		found[id] = binary.BigEndian.Uint32(value)
	}
	return found, it.Error()
}
