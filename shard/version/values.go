package version

import (
	"cmp"
	"encoding/binary"
	"shoal/shard/record"
	"shoal/shard/store"
	"slices"
)

// Values returns the value record of a document; ok is false when it has none.
func (v *View) Values(ord uint32) (values record.Values, ok bool, err error) {
	raw, ok, err := v.get(v.keys.Ordinal(nil, store.TableValues, ord))
	if err != nil || !ok {
		return record.Values{}, false, err
	}
	values, err = record.ParseValues(raw)
	return values, err == nil, err
}

// Documents visits those of some stored documents that are there, in ascending
// order: i is the place of one in ordinals, json its text, members in field-id order,
// valid during the visit. It ends with the first error of a visit.
func (v *View) Documents(ordinals []uint32, visit func(i int, json []byte) error) error {
	var places []int // in their order; nil when they ascend already
	if !slices.IsSorted(ordinals) {
		places = make([]int, len(ordinals))
		for i := range places {
			places[i] = i
		}
		slices.SortFunc(places, func(a, b int) int { return cmp.Compare(ordinals[a], ordinals[b]) })
	}
	r := v.OpenDocuments()
	defer r.Close()
	for i := range ordinals {
		if places != nil {
			i = places[i]
		}
		_, json, ok, err := r.Read(ordinals[i])
		if err == nil && ok {
			err = visit(i, json)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Ordinal returns the ordinal of an external id.
func (v *View) Ordinal(id string) (ord uint32, ok bool, err error) {
	raw, ok, err := v.get(v.keys.ID(nil, id))
	if err != nil || !ok {
		return 0, false, err
	}
	if len(raw) != 4 {
		return 0, false, store.ErrCorruptValue
	}
	return binary.BigEndian.Uint32(raw), true, nil
}

// tokenReader reads token records. For one goroutine.
type tokenReader struct {
	r *OrdinalReader
}

// Tokens opens a reader of token records; it must be closed before the View.
func (v *View) Tokens() record.TokenReader {
	return &tokenReader{v.OpenOrdinals(store.TableTokens)}
}

// Read returns the record of a document, valid until the next call. Ascending
// ordinals are the fast case. ok is false when it has no words.
func (r *tokenReader) Read(ord uint32) (t record.Tokens, ok bool, err error) {
	raw, ok, err := r.r.Read(ord)
	if err != nil || !ok {
		return record.Tokens{}, false, err
	}
	t, err = record.Parse(raw)
	return t, err == nil, err
}

// Close gives the reader's resources back.
func (r *tokenReader) Close() error {
	r.r.Close()
	return nil
}
