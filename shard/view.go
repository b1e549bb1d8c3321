package shard

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"sync/atomic"

	"shoal/api"
	"shoal/shard/docset"
	"shoal/shard/lexicon"
	"shoal/shard/record"
	"shoal/wire"
)

// View is an immutable state of one shard at one version. It keeps the version
// alive until it is closed. Methods are safe for concurrent use and return sets
// and values that are shared: do not modify.
type View struct {
	*core
	host     *Host
	closed   atomic.Bool
	settings *api.Settings
	pk       string
}

// View returns the exact version that a request names: never a newer one.
// Errors: wire.ErrBehind when it is not here yet, wire.ErrGone when it is not
// kept any more, wire.ErrNoShard. The View must be closed.
func (h *Host) View(ctx context.Context, x *wire.PinnedIndex) (*View, error) {
	if err := h.enter(); err != nil {
		return nil, err
	}
	defer h.leave()
	r, err := h.replica(x.Key)
	if err != nil {
		return nil, err
	}
	w := wanted{version: x.Version, delta: x.DeltaID, byDelta: x.DeltaID != ""}
	if !w.byDelta {
		w = h.deltaAt(x.Key, x.Version)
	}
	c, err := r.acquire(ctx, w)
	if err != nil {
		return nil, err
	}
	v := h.viewOf(c)
	if x.PrimaryKey != "" {
		v.pk = x.PrimaryKey
	}
	if x.Settings != nil && string(x.Settings) != string(c.raw) {
		// A change of settings that no shard had to work for.
		if v.settings, err = decodeSettings(x.Settings); err != nil {
			_ = v.Close()
			return nil, err
		}
	} else if x.Settings == nil {
		v.settings = h.newerSettings(c, x)
	}
	return v, nil
}

// newerSettings returns the catalogue's settings when they are those of the
// request, else the shard's own.
func (h *Host) newerSettings(c *core, x *wire.PinnedIndex) *api.Settings {
	if h.o.Index == nil {
		return c.settings
	}
	index, ok := h.o.Index(x.Key.IndexID)
	if !ok || index.SettingsVersion != x.SettingsVersion || index.SettingsVersion <= c.state.Version {
		return c.settings
	}
	return index.DecodedSettings()
}

// viewOf wraps a core whose reference the View takes over.
func (h *Host) viewOf(c *core) *View {
	h.views.Add(1)
	return &View{core: c, host: h, settings: c.settings, pk: c.state.PrimaryKey}
}

// Close lets go of the version. Further calls do nothing.
func (v *View) Close() error {
	if v.closed.Swap(true) {
		return nil
	}
	v.core.release()
	v.host.views.Add(-1)
	return nil
}

// Version returns the version that brought the shard into this state.
func (v *View) Version() uint64 { return v.state.Version }

// Settings returns the index's settings; do not modify.
func (v *View) Settings() *api.Settings { return v.settings }

// PrimaryKey returns the index's primary key, "" when it has none yet.
func (v *View) PrimaryKey() string { return v.pk }

// Fields returns the field names in field-id order; do not modify.
func (v *View) Fields() []string { return v.fields }

// FieldID returns the id of a field name.
func (v *View) FieldID(name string) (uint16, bool) {
	fid, ok := v.fieldIDs()[name]
	return fid, ok
}

// Stats returns the shard's figures.
func (v *View) Stats() wire.ShardStats { return v.state.stats(v.fields) }

// Live returns all documents.
func (v *View) Live() docset.Set { return v.live }

// Dictionary returns the words that have a tolerant occurrence, with the number
// of documents each.
func (v *View) Dictionary() *lexicon.Dictionary { return v.words }

// ExactDictionary returns the words that have an exact occurrence.
func (v *View) ExactDictionary() *lexicon.Dictionary { return v.exact }

// cached returns a posting list from the cache or reads it.
func (v *View) cached(t table, name string, read func() (docset.Set, error)) (docset.Set, error) {
	key := setName{v.epoch, t, name}
	version := v.state.Version
	if set, ok := v.cache.get(key, version); ok {
		return set, nil
	}
	set, err := read()
	if err == nil {
		v.cache.put(key, version, v.caching, set)
	}
	return set, err
}

// Word returns the documents with a tolerant occurrence of w (spec ranking 2).
func (v *View) Word(w string) (docset.Set, error) {
	return v.cached(tableWord, w, func() (docset.Set, error) { return v.readWord(tableWord, w) })
}

// ExactWord returns the documents with an exact occurrence of w.
func (v *View) ExactWord(w string) (docset.Set, error) {
	if v.exact.Len() == 0 {
		return docset.Set{}, nil
	}
	return v.cached(tableExact, w, func() (docset.Set, error) { return v.readWord(tableExact, w) })
}

// Prefix returns the union of Word over all words that start with prefix, up to
// and including last ("" is no limit).
func (v *View) Prefix(prefix, last string) (docset.Set, error) {
	return v.readPrefix(tableWord, prefix, last)
}

// ExactPrefix is Prefix for exact occurrences.
func (v *View) ExactPrefix(prefix, last string) (docset.Set, error) {
	if v.exact.Len() == 0 {
		return docset.Set{}, nil
	}
	return v.readPrefix(tableExact, prefix, last)
}

// named returns a posting list by the name part of its key.
func (v *View) named(t table, name []byte) (docset.Set, error) {
	return v.cached(t, string(name), func() (docset.Set, error) { return v.readSet(t, name) })
}

// FieldCount returns the documents whose field has exactly n indexed tokens,
// 1 <= n <= 30.
func (v *View) FieldCount(fid uint16, n int) (docset.Set, error) {
	if n < 1 || n > maxFieldCount {
		return docset.Set{}, nil
	}
	return v.named(tableCount, countName(nil, fid, uint8(n)))
}

// FacetExists, FacetIsNull and FacetIsEmpty return the documents where the
// faceted field stands at all, is null, is [], {} or "".
func (v *View) FacetExists(fid uint16) (docset.Set, error) {
	return v.named(tableState, stateName(nil, fid, stateExists))
}

// FacetIsNull: see FacetExists.
func (v *View) FacetIsNull(fid uint16) (docset.Set, error) {
	return v.named(tableState, stateName(nil, fid, stateNull))
}

// FacetIsEmpty: see FacetExists.
func (v *View) FacetIsEmpty(fid uint16) (docset.Set, error) {
	return v.named(tableState, stateName(nil, fid, stateEmpty))
}

// GeoPoints returns the documents with a geo point, while _geo is filterable or
// sortable.
func (v *View) GeoPoints() (docset.Set, error) {
	return v.named(tableState, stateName(nil, 0, stateGeo))
}

// GeoShapes returns the documents with _geojson, while that is filterable.
func (v *View) GeoShapes() (docset.Set, error) {
	return v.named(tableState, stateName(nil, 0, stateGeoJSON))
}

// Number returns the documents in which a faceted field has a number.
func (v *View) Number(fid uint16, x float64) (docset.Set, error) {
	return v.named(tableNumber, numberName(nil, fid, record.OrderedFloat(x)))
}

// String returns the documents in which a faceted field has a string, by facet
// form.
func (v *View) String(fid uint16, form string) (docset.Set, error) {
	return v.named(tableString, stringName(nil, fid, []byte(form)))
}

// Numbers walks the numbers of a faceted field with their documents, ascending
// or descending, until f returns false.
func (v *View) Numbers(fid uint16, desc bool, f func(x float64, docs docset.Set) bool) error {
	return v.walkValues(tableNumber, fid, desc, func(rest []byte, docs docset.Set) (bool, error) {
		x, err := numberOf(rest)
		return err == nil && f(x, docs), err
	})
}

// Strings walks the strings of a faceted field by facet form with their
// documents, ascending or descending, until f returns false.
func (v *View) Strings(fid uint16, desc bool, f func(form string, docs docset.Set) bool) error {
	return v.walkValues(tableString, fid, desc, func(rest []byte, docs docset.Set) (bool, error) {
		s, err := stringOf(rest)
		return err == nil && f(string(s), docs), err
	})
}

// Values returns the value record of a document; ok is false when it has none.
func (v *View) Values(ord uint32) (values record.Values, ok bool, err error) {
	raw, ok, err := v.get(v.keys.ordinal(nil, tableValues, ord))
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
	r := v.documents()
	defer func() { _ = r.close() }() // reading is over
	for i := range ordinals {
		if places != nil {
			i = places[i]
		}
		_, json, ok, err := r.read(ordinals[i])
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
	raw, ok, err := v.get(v.keys.id(nil, id))
	if err != nil || !ok {
		return 0, false, err
	}
	if len(raw) != 4 {
		return 0, false, errCorruptValue
	}
	return binary.BigEndian.Uint32(raw), true, nil
}

// TokenReader reads token records. For one goroutine.
type TokenReader struct {
	v *core
	r *ordinalReader
}

// OpenTokens opens a reader of token records; it must be closed before the View.
func (v *View) OpenTokens() *TokenReader {
	return &TokenReader{v.core, v.ordinalReader(tableTokens)}
}

// Read returns the record of a document, valid until the next call. Ascending
// ordinals are the fast case. ok is false when it has no words.
func (r *TokenReader) Read(ord uint32) (t record.Tokens, ok bool, err error) {
	raw, ok, err := r.r.read(ord)
	if err != nil || !ok {
		return record.Tokens{}, false, err
	}
	t, err = record.Parse(raw)
	return t, err == nil, err
}

// Close gives the reader's resources back.
func (r *TokenReader) Close() error {
	r.r.close(r.v)
	return nil
}
