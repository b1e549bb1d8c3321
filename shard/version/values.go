package version

import (
	"cmp"
	"encoding/binary"
	"slices"

	"shoal/shard/record"
	"shoal/shard/store"
)

// Values returns the value record of a document. ok is false if it has none.
func (s *Space) Values(ord uint32) (values record.Values, ok bool, err error) {
	part := s.owner(ord)
	if part == nil {
		return record.Values{}, false, nil
	}
	raw, ok, err := part.get(part.keys.Ordinal(nil, store.TableValues, ord))
	if err != nil || !ok {
		return record.Values{}, false, err
	}
	values, err = record.ParseValues(raw)
	return values, err == nil, err
}

// Documents visits stored documents in ascending order and skips missing ones. i is the
// document's index in ordinals. json is its text, with members in field-id order, valid
// during the visit. The first error of a visit ends it.
func (s *Space) Documents(ordinals []uint32, visit func(i int, json []byte) error) error {
	var places []int // indexes in ascending order; nil if ordinals ascend
	if !slices.IsSorted(ordinals) {
		places = make([]int, len(ordinals))
		for i := range places {
			places[i] = i
		}
		slices.SortFunc(places, func(a, b int) int { return cmp.Compare(ordinals[a], ordinals[b]) })
	}
	r := s.ordinals(store.TableDocument)
	defer r.close()
	for i := range ordinals {
		if places != nil {
			i = places[i]
		}
		value, ok, err := r.read(ordinals[i])
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

// Ordinal returns the ordinal of an external id.
func (s *Space) Ordinal(id string) (ord uint32, ok bool, err error) {
	for _, part := range s.parts {
		raw, ok, err := part.get(part.keys.ID(nil, id))
		switch {
		case err != nil:
			return 0, false, err
		case !ok:
		case len(raw) != 4:
			return 0, false, store.ErrCorruptValue
		default:
			return binary.BigEndian.Uint32(raw), true, nil
		}
	}
	return 0, false, nil
}

// spaceReader reads the values of one table by ordinal from the parts that have them.
// For one goroutine.
type spaceReader struct {
	space   *Space
	table   store.Table
	alone   *OrdinalReader   // of the only part
	readers []*OrdinalReader // parallel to the parts, opened on demand
}

func (s *Space) ordinals(t store.Table) spaceReader {
	r := spaceReader{space: s, table: t}
	if len(s.parts) == 1 {
		r.alone = s.parts[0].OpenOrdinals(t)
	} else {
		r.readers = make([]*OrdinalReader, len(s.parts))
	}
	return r
}

// read returns the value of an ordinal, valid until the next call. Ascending ordinals
// are fastest.
func (r *spaceReader) read(ord uint32) (value []byte, ok bool, err error) {
	if r.alone != nil {
		return r.alone.Read(ord)
	}
	for i, part := range r.space.parts {
		if part.live.Contains(ord) {
			if r.readers[i] == nil {
				r.readers[i] = part.OpenOrdinals(r.table)
			}
			return r.readers[i].Read(ord)
		}
	}
	return nil, false, nil
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
	// fresh are the cached records of the parts.
	fresh []*fresh
}

// Tokens opens a reader of token records. Close it before releasing the references to
// the parts.
func (s *Space) Tokens() record.TokenReader {
	r := &tokenReader{r: s.ordinals(store.TableTokens)}
	for _, part := range s.parts {
		if f := part.fresh.Load(); f != nil {
			r.fresh = append(r.fresh, f)
		}
	}
	return r
}

// Read returns the record of a document, valid until the next call. Ascending ordinals
// are fastest. ok is false if it has no words.
func (r *tokenReader) Read(ord uint32) (t record.Tokens, ok bool, err error) {
	raw, ok, known := r.kept(ord)
	if !known {
		raw, ok, err = r.r.read(ord)
	}
	if err != nil || !ok {
		return record.Tokens{}, false, err
	}
	t, err = record.Parse(raw)
	return t, err == nil, err
}

// kept returns a cached record; see fresh.
func (r *tokenReader) kept(ord uint32) (raw []byte, ok, known bool) {
	for _, f := range r.fresh {
		if raw, ok, known = f.read(ord); ok || known && r.r.alone != nil {
			return raw, ok, true
		} // a document deleted from one shard may be in another
	}
	return nil, false, false
}

// Close returns the reader's resources.
func (r *tokenReader) Close() error {
	r.r.close()
	return nil
}
