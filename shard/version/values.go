package version

import (
	"cmp"
	"encoding/binary"
	"slices"

	"shoal/shard/record"
	"shoal/shard/store"
)

// Values returns the value record of a document. ok is false if it has none.
func (s *Space) Values(row uint32) (values record.Values, ok bool, err error) {
	at, own := s.owner(row)
	part := s.parts[at]
	raw, ok, err := part.get(part.keys.Row(nil, store.TableValues, own))
	if err != nil || !ok {
		return record.Values{}, false, err
	}
	values, err = record.ParseValues(raw)
	return values, err == nil, err
}

// Documents visits stored documents in ascending order and skips missing ones. i is the
// document's index in list. json is its text, with members in field-id order, valid
// during the visit. The first error of a visit ends it.
func (s *Space) Documents(list []uint32, visit func(i int, json []byte) error) error {
	var places []int // indexes in ascending order; nil if the rows ascend
	if !slices.IsSorted(list) {
		places = make([]int, len(list))
		for i := range places {
			places[i] = i
		}
		slices.SortFunc(places, func(a, b int) int { return cmp.Compare(list[a], list[b]) })
	}
	r := s.reader(store.TableDocument)
	defer r.close()
	for i := range list {
		if places != nil {
			i = places[i]
		}
		value, ok, err := r.read(list[i])
		if err == nil && ok {
			var json []byte
			if _, json, err = store.CutDocument(value); err == nil {
				err = visit(i, json)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Row returns the row of an external id.
func (s *Space) Row(id string) (row uint32, ok bool, err error) {
	for i, part := range s.parts {
		raw, ok, err := part.get(part.keys.ID(nil, id))
		switch {
		case err != nil:
			return 0, false, err
		case !ok:
		case len(raw) != 4:
			return 0, false, store.ErrCorruptValue
		default:
			return uint32(s.bases[i])<<16 + binary.BigEndian.Uint32(raw), true, nil
		}
	}
	return 0, false, nil
}

// spaceReader reads the values of one table by row from the parts that have them. For
// one goroutine.
type spaceReader struct {
	space   *Space
	table   store.Table
	alone   *RowReader   // of the only part
	readers []*RowReader // parallel to the parts, opened on demand
}

func (s *Space) reader(t store.Table) spaceReader {
	r := spaceReader{space: s, table: t}
	if len(s.parts) == 1 {
		r.alone = s.parts[0].OpenRows(t)
	} else {
		r.readers = make([]*RowReader, len(s.parts))
	}
	return r
}

// read returns the value of a row, valid until the next call. Ascending rows are
// fastest.
func (r *spaceReader) read(row uint32) (value []byte, ok bool, err error) {
	if r.alone != nil {
		return r.alone.Read(row)
	}
	i, own := r.space.owner(row)
	if r.readers[i] == nil {
		r.readers[i] = r.space.parts[i].OpenRows(r.table)
	}
	return r.readers[i].Read(own)
}

// close returns the iterators.
func (r *spaceReader) close() {
	if r.alone != nil {
		r.alone.Close()
	}
	for _, reader := range r.readers {
		if reader != nil {
			reader.Close()
		}
	}
}

// tokenReader reads token records. For one goroutine.
type tokenReader struct {
	r spaceReader
	// fresh are the cached records of the parts, nil if none has any.
	fresh []*fresh
}

// Tokens opens a reader of token records. Close it before releasing the references to
// the parts.
func (s *Space) Tokens() record.TokenReader {
	r := &tokenReader{r: s.reader(store.TableTokens)}
	for i, part := range s.parts {
		if f := part.fresh.Load(); f != nil {
			if r.fresh == nil {
				r.fresh = make([]*fresh, len(s.parts))
			}
			r.fresh[i] = f
		}
	}
	return r
}

// Read returns the record of a document, valid until the next call. Ascending rows are
// fastest. ok is false if it has no words.
func (r *tokenReader) Read(row uint32) (t record.Tokens, ok bool, err error) {
	raw, ok, known := r.kept(row)
	if !known {
		raw, ok, err = r.r.read(row)
	}
	if err != nil || !ok {
		return record.Tokens{}, false, err
	}
	t, err = record.Parse(raw)
	return t, err == nil, err
}

// kept returns a cached record; see fresh.
func (r *tokenReader) kept(row uint32) (raw []byte, ok, known bool) {
	if r.fresh == nil {
		return nil, false, false
	}
	i, own := r.r.space.owner(row)
	return r.fresh[i].read(own)
}

// Close returns the reader's resources.
func (r *tokenReader) Close() error {
	r.r.close()
	return nil
}
