package memindex

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/paulmach/orb"

	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/query/filter"
	"shoal/shard/docset"
	"shoal/shard/element"
	"shoal/shard/extract"
	"shoal/shard/record"
	"shoal/shard/rows"
	"shoal/text"
)

// Index is a shard of documents by row.
type Index struct {
	settings *settings.Settings
	names    []string
	ids      map[string]uint16
	live     docset.Set
	docs     map[uint32][]byte
	external map[string]uint32
	values   map[uint32]record.Values
	numbers  map[uint16]map[float64][]uint32
	strings  map[uint16]map[string][]uint32
	exists   map[uint16][]uint32
	null     map[uint16][]uint32
	empty    map[uint16][]uint32
	elements func() (*element.List, error) // of all documents
	order    *rows.Order
}

// New builds the shard of the documents by row. fields is the field map of the
// whole index (Fields of all its documents). Every field is faceted; the external id is
// the member "id". It panics on a text that is not a JSON object.
func New(settings *settings.Settings, fields []string, docs map[uint32]string) *Index {
	x := &Index{
		settings: settings, names: fields, ids: map[string]uint16{}, docs: map[uint32][]byte{}, external: map[string]uint32{}, values: map[uint32]record.Values{},
		numbers: map[uint16]map[float64][]uint32{}, strings: map[uint16]map[string][]uint32{},
		exists: map[uint16][]uint32{}, null: map[uint16][]uint32{}, empty: map[uint16][]uint32{},
	}
	for i, name := range fields {
		x.ids[name] = uint16(i)
	}
	ordinals := slices.Sorted(maps.Keys(docs))
	for _, ord := range ordinals {
		x.add(ord, parse(docs[ord]))
		x.docs[ord] = []byte(docs[ord])
	}
	x.live = docset.FromSorted(ordinals)
	x.elements = sync.OnceValues(func() (*element.List, error) {
		list, err := x.ElementsOf(x.live)
		if err == nil {
			list.Sort()
		}
		return list, err
	})
	return x
}

func parse(text string) *jsonvalue.Value {
	v, err := jsonvalue.Parse([]byte(text))
	if err != nil || v.Kind() != jsonvalue.KindObject {
		panic("memindex: not an object: " + text)
	}
	return &v
}

// Fields lists the names in the documents, including nested ones, sorted.
func Fields(docs map[uint32]string) []string {
	seen := map[string]bool{}
	for _, text := range docs {
		walk(parse(text), func(path string, _ *jsonvalue.Value, _ bool) { seen[path] = true })
	}
	return slices.Sorted(maps.Keys(seen))
}

// walk visits every value under its flattened path. onKey distinguishes values of keys
// from array elements.
func walk(doc *jsonvalue.Value, visit func(path string, v *jsonvalue.Value, onKey bool)) {
	var rec func(path string, v *jsonvalue.Value, onKey bool)
	rec = func(path string, v *jsonvalue.Value, onKey bool) {
		visit(path, v, onKey)
		for i := range v.Members() {
			m := &v.Members()[i]
			if v.Kind() == jsonvalue.KindObject {
				rec(path+"."+m.Name, &m.Value, true)
			} else {
				rec(path, &m.Value, false)
			}
		}
	}
	for i := range doc.Members() {
		m := &doc.Members()[i]
		rec(m.Name, &m.Value, true)
	}
}

func (x *Index) add(ord uint32, doc *jsonvalue.Value) {
	var w record.ValueWriter
	if id := doc.Get("id"); id != nil {
		name := id.String()
		if id.Kind() != jsonvalue.KindString {
			name = id.JSON()
		}
		x.external[name] = ord
	}
	if p := doc.Get("_geo"); p != nil && p.Kind() == jsonvalue.KindObject {
		w.Point(record.Point{Lat: p.Get("lat").Float(), Lng: p.Get("lng").Float()})
	}
	walk(doc, func(path string, v *jsonvalue.Value, onKey bool) {
		fid, ok := x.ids[path]
		if !ok {
			return
		}
		w.Mark(fid, x.mark(fid, ord, v, onKey))
		switch v.Kind() {
		case jsonvalue.KindString:
			if v.String() != "" {
				x.addString(&w, fid, ord, v.String())
			}
		case jsonvalue.KindBool:
			x.addString(&w, fid, ord, strconv.FormatBool(v.Bool()))
		case jsonvalue.KindPositive, jsonvalue.KindNegative, jsonvalue.KindFloat:
			w.Number(fid, v.Float())
			into(nested(x.numbers, fid), v.Float()+0, ord)
		}
	})
	values, err := record.ParseValues(w.Finish(nil))
	if err != nil {
		panic("memindex: " + err.Error())
	}
	x.values[ord] = values
}

func (x *Index) mark(fid uint16, ord uint32, v *jsonvalue.Value, onKey bool) (flags uint8) {
	into(x.exists, fid, ord)
	if onKey && v.Kind() == jsonvalue.KindNull {
		into(x.null, fid, ord)
		flags |= record.Null
	}
	if onKey && v.Len() == 0 && (v.Kind() == jsonvalue.KindArray || v.Kind() == jsonvalue.KindObject || v.Kind() == jsonvalue.KindString && v.String() == "") {
		into(x.empty, fid, ord)
		flags |= record.Empty
	}
	return flags
}

func (x *Index) addString(w *record.ValueWriter, fid uint16, ord uint32, s string) {
	form := text.FacetForm(s)
	w.String(fid, form, s)
	into(nested(x.strings, fid), form, ord)
}

func nested[K comparable](m map[uint16]map[K][]uint32, fid uint16) map[K][]uint32 {
	if m[fid] == nil {
		m[fid] = map[K][]uint32{}
	}
	return m[fid]
}

func into[K comparable](m map[K][]uint32, key K, ord uint32) {
	if list := m[key]; len(list) == 0 || list[len(list)-1] != ord {
		m[key] = append(list, ord)
	}
}

func setOf(sorted []uint32) docset.Set { return docset.FromSorted(sorted) }

// Settings returns the settings given to New.
func (x *Index) Settings() *settings.Settings { return x.settings }

// Fields returns the field map.
func (x *Index) Fields() []string { return x.names }

// FieldID returns the id of a field.
func (x *Index) FieldID(name string) (uint16, bool) { fid, ok := x.ids[name]; return fid, ok }

// Live returns all documents.
func (x *Index) Live() docset.Set { return x.live }

// Exists implements filter.Index.
func (x *Index) Exists(fid uint16) (docset.Set, error) { return setOf(x.exists[fid]), nil }

// Null implements filter.Index.
func (x *Index) Null(fid uint16) (docset.Set, error) { return setOf(x.null[fid]), nil }

// Empty implements filter.Index.
func (x *Index) Empty(fid uint16) (docset.Set, error) { return setOf(x.empty[fid]), nil }

// Number returns the documents with a number.
func (x *Index) Number(fid uint16, v float64) (docset.Set, error) {
	return setOf(x.numbers[fid][v]), nil
}

// String returns the documents with a facet form.
func (x *Index) String(fid uint16, form string) (docset.Set, error) {
	return setOf(x.strings[fid][form]), nil
}

// NumberRange implements filter.Index.
func (x *Index) NumberRange(fid uint16, from, to float64) (docset.Set, error) {
	var sets []docset.Set
	for v, b := range x.numbers[fid] {
		if v >= from && v <= to {
			sets = append(sets, setOf(b))
		}
	}
	return docset.Union(sets...), nil
}

// StringRange implements filter.Index.
func (x *Index) StringRange(fid uint16, from, to string) (docset.Set, error) {
	var sets []docset.Set
	for v, b := range x.strings[fid] {
		if v >= from && (to == "" || v < to) {
			sets = append(sets, setOf(b))
		}
	}
	return docset.Union(sets...), nil
}

// StringForms implements filter.Index.
func (x *Index) StringForms(fid uint16, f func(form string, docs func() (docset.Set, error)) bool) error {
	return x.Strings(fid, false, func(form string, docs docset.Set) bool {
		return f(form, func() (docset.Set, error) { return docs, nil })
	})
}

// Numbers iterates over the numbers of a field.
func (x *Index) Numbers(fid uint16, desc bool, f func(v float64, docs docset.Set) bool) error {
	ascend(x.numbers[fid], desc, f)
	return nil
}

// Strings iterates over the facet forms of a field.
func (x *Index) Strings(fid uint16, desc bool, f func(v string, docs docset.Set) bool) error {
	ascend(x.strings[fid], desc, f)
	return nil
}

func ascend[K cmp.Ordered](m map[K][]uint32, desc bool, f func(K, docset.Set) bool) {
	keys := slices.Sorted(maps.Keys(m))
	if desc {
		slices.Reverse(keys)
	}
	for _, k := range keys {
		if !f(k, setOf(m[k])) {
			return
		}
	}
}

// Values returns the value record of a document.
func (x *Index) Values(ord uint32) (record.Values, bool, error) {
	v, ok := x.values[ord]
	return v, ok, nil
}

// Within implements filter.Index. Places must be read.
func (x *Index) Within(context.Context, filter.GeoCircle, docset.Set, int) (inside, edge docset.Set, ok bool, err error) {
	return docset.Set{}, docset.Set{}, false, nil
}

// Touching implements filter.Index. Shapes must be read.
func (x *Index) Touching(context.Context, []orb.Bound, docset.Set) (near docset.Set, ok bool, err error) {
	return docset.Set{}, false, nil
}

// Elements are the objects of arrays with a value in a range.
func (x *Index) Elements(r *element.Range) (element.Set, error) {
	list, err := x.elements()
	if err != nil {
		return nil, err
	}
	return list.Elements(r)
}

// ElementsOf lists the elements of some documents.
func (x *Index) ElementsOf(docs docset.Set) (*element.List, error) {
	e, list := extract.NewElementPlan(x.settings, x.names).New(), new(element.List)
	for ord := range docs.All() {
		if err := e.Load(x.docs[ord]); err != nil {
			return nil, err
		}
		if err := e.Elements(func(name []byte) { list.Add(name, ord) }); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Documents visits the texts of existing documents in ascending order, with their
// indexes in ordinals, until a visit fails. A text is overwritten after its visit.
func (x *Index) Documents(ordinals []uint32, visit func(i int, json []byte) error) error {
	places := make([]int, len(ordinals))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Compare(ordinals[a], ordinals[b]) })
	for _, i := range places {
		d, ok := x.docs[ordinals[i]]
		if !ok {
			continue
		}
		text := bytes.Clone(d)
		if err := visit(i, text); err != nil {
			return err
		}
		clear(text)
	}
	return nil
}

// Row finds a document by the member "id".
func (x *Index) Row(id string) (uint32, bool, error) {
	ord, ok := x.external[id]
	return ord, ok, nil
}

// Vectors finds documents by the names in `_vectors`, whatever their content.
func (x *Index) Vectors(v filter.FilterVector) (docset.Set, error) {
	var found []uint32
	for ord, body := range x.docs {
		if vectors := parse(string(body)).Get("_vectors"); vectors != nil && (!v.Named || vectors.Get(v.Embedder.Value) != nil) {
			found = append(found, ord)
		}
	}
	slices.Sort(found)
	return docset.FromSorted(found), nil
}

// Split distributes documents to n shards by ordinal, with one field map.
func Split(settings *settings.Settings, docs map[uint32]string, n int) []*Index {
	parts := make([]map[uint32]string, n)
	for i := range parts {
		parts[i] = map[uint32]string{}
	}
	for ord, doc := range docs {
		parts[int(ord)%n][ord] = doc
	}
	fields := Fields(docs)
	list := make([]*Index, n)
	for i := range parts {
		list[i] = New(settings, fields, parts[i])
	}
	return list
}

// Plain returns filterableAttributes given as plain names.
func Plain(names ...string) []settings.FilterableRule {
	sort.Strings(names)
	var rules []settings.FilterableRule
	for _, n := range names {
		if n = strings.TrimSpace(n); n != "" {
			rules = append(rules, settings.FilterableRule{Patterns: []string{n}, FacetSearch: true, Equality: true, Comparison: true, Plain: true})
		}
	}
	return rules
}
