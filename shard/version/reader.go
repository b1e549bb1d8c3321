package version

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"shoal/shard/store"
)

// RowReader reads the values of one table by row. Ascending rows are fastest. For one goroutine.
type RowReader struct {
	pool   *store.Iterators
	it     *pebble.Iterator
	prefix []byte
	key    []byte
	at     uint32 // row under the iterator, if valid
	valid  bool
	// alone: the iterator was positioned for one key only and cannot advance.
	alone bool
}

// OpenRows opens a reader. The caller must close it before the version.
func (v *Version) OpenRows(t store.Table) *RowReader {
	prefix := v.keys.Prefix(nil, t)
	return &RowReader{pool: &v.Iterators, it: v.Borrow(prefix), prefix: prefix}
}

// Read returns the value of a row, valid until the next call.
func (r *RowReader) Read(row uint32) (value []byte, ok bool, err error) {
	r.key = binary.BigEndian.AppendUint32(append(r.key[:0], r.prefix...), row)
	switch {
	case r.valid && r.at == row:
	case !r.valid || r.at > row || row-r.at > 4:
		// For single keys, the filters of the upper levels avoid most reads.
		r.valid = r.it.SeekPrefixGE(r.key) && r.place()
		r.alone = true
	case r.alone:
		r.valid = r.it.SeekGE(r.key) && r.place()
		r.alone = false
	default:
		// A neighbour: advancing is cheaper than seeking.
		for r.valid && r.at < row {
			r.valid = r.it.Next() && r.place()
		}
	}
	if !r.valid || r.at != row {
		return nil, false, r.it.Error()
	}
	value, err = r.it.ValueAndErr()
	return value, err == nil, err
}

// place reads the row under the iterator. It returns false outside of the table.
func (r *RowReader) place() bool {
	key := r.it.Key()
	if len(key) != len(r.prefix)+4 {
		return false
	}
	r.at = binary.BigEndian.Uint32(key[len(r.prefix):])
	return true
}

// Close returns the iterator.
func (r *RowReader) Close() { r.pool.GiveBack(r.it) }

// documentReader reads stored documents. For one goroutine.
type documentReader struct{ r *RowReader }

// OpenDocuments opens a reader of documents. The caller must close it before the
// version.
func (v *Version) OpenDocuments() *documentReader {
	return &documentReader{v.OpenRows(store.TableDocument)}
}

// Read returns the external id and the JSON of a document, valid until the next call.
func (r *documentReader) Read(row uint32) (id, doc []byte, ok bool, err error) {
	value, ok, err := r.r.Read(row)
	if err != nil || !ok {
		return nil, nil, false, err
	}
	id, doc, err = store.CutDocument(value)
	return id, doc, err == nil, err
}

// Close returns the reader's iterator.
func (r *documentReader) Close() { r.r.Close() }

// get reads one key; the caller owns the value. A pooled iterator is cheaper than a
// look-up of its own, because its files are already open.
func (v *Version) get(key []byte) (value []byte, ok bool, err error) {
	it := v.Borrow(key)
	defer v.GiveBack(it)
	if !it.SeekPrefixGE(key) || !bytes.Equal(it.Key(), key) { // as in RowReader
		return nil, false, it.Error()
	}
	found, err := it.ValueAndErr()
	if err != nil {
		return nil, false, err
	}
	return bytes.Clone(found), true, nil
}

// RowsOf looks up external ids, which must be sorted.
func (v *Version) RowsOf(sorted []string) (map[string]uint32, error) {
	found := make(map[string]uint32)
	if v.live.Empty() {
		return found, nil
	}
	var key []byte
	if len(sorted) < 16 {
		for _, id := range sorted {
			key = v.keys.ID(key[:0], id)
			value, ok, err := v.get(key)
			if err != nil {
				return nil, err
			}
			if ok {
				if len(value) != 4 {
					return nil, store.ErrCorruptValue
				}
				found[id] = binary.BigEndian.Uint32(value)
			}
		}
		return found, nil
	}
	it := v.Borrow(v.keys.ID(nil, ""))
	defer v.GiveBack(it)
	for _, id := range sorted {
		key = v.keys.ID(key[:0], id)
		if !it.SeekGE(key) {
			break
		}
		if !bytes.Equal(it.Key(), key) {
			continue
		}
		value, err := it.ValueAndErr()
		if err != nil || len(value) != 4 {
			return nil, errors.Join(err, store.ErrCorruptValue)
		}
		found[id] = binary.BigEndian.Uint32(value)
	}
	return found, it.Error()
}
