package version

import (
	"shoal/shard/docset"
	"shoal/shard/record"
	"shoal/shard/store"
)

// cached returns a posting list from the cache or reads it.
func (v *View) cached(t store.Table, name string, read func() (docset.Set, error)) (docset.Set, error) {
	key := postingName{v.epoch, t, name}
	version := v.state.Version
	if set, ok := v.shared.Postings.get(key, version); ok {
		return set, nil
	}
	set, err := read()
	if err == nil {
		v.shared.Postings.put(key, version, v.caching, set)
	}
	return set, err
}

// Word returns the documents with a tolerant occurrence of w (spec ranking 2).
func (v *View) Word(w string) (docset.Set, error) {
	return v.cached(store.TableWord, w, func() (docset.Set, error) { return v.readWord(store.TableWord, w) })
}

// ExactWord returns the documents with an exact occurrence of w.
func (v *View) ExactWord(w string) (docset.Set, error) {
	if v.exact.Len() == 0 {
		return docset.Set{}, nil
	}
	return v.cached(store.TableExact, w, func() (docset.Set, error) { return v.readWord(store.TableExact, w) })
}

// Prefix returns the union of Word over all words that start with prefix, up to
// and including last ("" is no limit).
func (v *View) Prefix(prefix, last string) (docset.Set, error) {
	return v.readPrefix(store.TableWord, prefix, last)
}

// ExactPrefix is Prefix for exact occurrences.
func (v *View) ExactPrefix(prefix, last string) (docset.Set, error) {
	if v.exact.Len() == 0 {
		return docset.Set{}, nil
	}
	return v.readPrefix(store.TableExact, prefix, last)
}

// named returns a posting list by the name part of its key.
func (v *View) named(t store.Table, name []byte) (docset.Set, error) {
	return v.cached(t, string(name), func() (docset.Set, error) { return v.readSet(t, name) })
}

// FieldCount returns the documents whose field has exactly n indexed tokens,
// 1 <= n <= 30.
func (v *View) FieldCount(fid uint16, n int) (docset.Set, error) {
	if n < 1 || n > store.MaxFieldCount {
		return docset.Set{}, nil
	}
	return v.named(store.TableCount, store.CountName(nil, fid, uint8(n)))
}

// Exists, Null and Empty return the documents where the faceted field stands at
// all, is null, is [], {} or "".
func (v *View) Exists(fid uint16) (docset.Set, error) {
	return v.named(store.TableState, store.StateName(nil, fid, store.StateExists))
}

// Null: see Exists.
func (v *View) Null(fid uint16) (docset.Set, error) {
	return v.named(store.TableState, store.StateName(nil, fid, store.StateNull))
}

// Empty: see Exists.
func (v *View) Empty(fid uint16) (docset.Set, error) {
	return v.named(store.TableState, store.StateName(nil, fid, store.StateEmpty))
}

// GeoPoints returns the documents with a geo point, while _geo is filterable or
// sortable.
func (v *View) GeoPoints() (docset.Set, error) {
	return v.named(store.TableState, store.StateName(nil, 0, store.StateGeo))
}

// GeoShapes returns the documents with _geojson, while that is filterable.
func (v *View) GeoShapes() (docset.Set, error) {
	return v.named(store.TableState, store.StateName(nil, 0, store.StateGeoJSON))
}

// Number returns the documents in which a faceted field has a number.
func (v *View) Number(fid uint16, x float64) (docset.Set, error) {
	return v.named(store.TableNumber, store.NumberName(nil, fid, record.OrderedFloat(x)))
}

// String returns the documents in which a faceted field has a string, by facet
// form.
func (v *View) String(fid uint16, form string) (docset.Set, error) {
	return v.named(store.TableString, store.StringName(nil, fid, []byte(form)))
}

// Numbers walks the numbers of a faceted field with their documents, ascending
// or descending, until f returns false.
func (v *View) Numbers(fid uint16, desc bool, f func(x float64, docs docset.Set) bool) error {
	return v.walkValues(store.TableNumber, fid, desc, func(rest []byte, docs docset.Set) (bool, error) {
		x, err := numberOf(rest)
		return err == nil && f(x, docs), err
	})
}

// Strings walks the strings of a faceted field by facet form with their
// documents, ascending or descending, until f returns false.
func (v *View) Strings(fid uint16, desc bool, f func(form string, docs docset.Set) bool) error {
	return v.walkValues(store.TableString, fid, desc, func(rest []byte, docs docset.Set) (bool, error) {
		s, err := stringOf(rest)
		return err == nil && f(string(s), docs), err
	})
}
