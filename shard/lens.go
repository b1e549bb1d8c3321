package shard

import (
	"bytes"
	"encoding/binary"
	"sync/atomic"

	"shoal/api"
	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/facet"
	"shoal/shard/rank"
	"shoal/shard/record"
	"shoal/shard/render"
	"shoal/wire"
)

// Lens shows a View in the shape that ranking, filters, facets and listings
// read. It borrows the View: do not use it after the View is closed. Safe for
// concurrent use.
type Lens struct {
	*View
	known *schemaOf
}

// lensCache is what lenses of one core share.
type lensCache struct {
	memo    rank.Memo
	columns atomic.Pointer[rank.Columns]
	// searched tells that some search looked for columns.
	searched atomic.Bool
	facets   facet.Columns
	ranges   rangeCache
	schema   atomic.Pointer[schemaOf]
}

// Vectors are the documents that a _vectors condition selects.
func (l *Lens) Vectors(c query.FilterVector) (docset.Set, error) { return l.WithVectors(c) }

// schemaOf is what the settings make of the fields, for ranking and rendering.
type schemaOf struct {
	settings *api.Settings
	schema   *rank.Schema
	render   *render.Plan
	// dimensions are those of the embedders, as far as they are known.
	dimensions map[string]int
}

// NewLens looks at a View.
func NewLens(v *View) *Lens {
	known := v.lens.schema.Load()
	if known == nil || known.settings != v.settings {
		known = &schemaOf{
			settings: v.settings, schema: rank.NewSchema(v.settings, v.fields),
			render: render.NewPlan(v.settings, v.fields, v.host.o.Segmenters), dimensions: map[string]int{},
		}
		for name := range v.settings.Embedders {
			if e, _, err := v.settings.Embedder(name); err == nil { // a build would have failed on another one
				known.dimensions[name] = e.Dimensions
			}
		}
		v.lens.schema.Store(known)
	}
	return &Lens{View: v, known: known}
}

// Schema says what the settings make of the fields.
func (l *Lens) Schema() *rank.Schema { return l.known.schema }

// Render renders the documents of a page.
func (l *Lens) Render(step *wire.FetchStep) (*wire.FetchReply, error) {
	return l.known.render.Fetch(l, step)
}

// Embeddings returns the vectors of a document by embedder, sorted by name. Vectors
// that were given for other dimensions than the embedder has now do not show: they
// can neither be compared nor be given again. They return with the dimensions.
func (l *Lens) Embeddings(ord uint32) ([]render.Embedding, error) {
	list, err := l.View.Embeddings(ord)
	if err != nil {
		return nil, err
	}
	out := make([]render.Embedding, 0, len(list))
	for k := range list {
		e := &list[k]
		r := render.Embedding{Name: e.Name, Regenerate: e.Regenerate}
		if want := l.known.dimensions[e.Name]; want != 0 && e.Dimensions != want {
			out = append(out, r)
			continue
		}
		for i := range e.Len() {
			r.Vectors = append(r.Vectors, e.Vector(i))
		}
		out = append(out, r)
	}
	return out, nil
}

// Columns tell where frequent words stand, as far as they are known by now.
func (l *Lens) Columns() *rank.Columns {
	if !l.lens.searched.Load() {
		l.lens.searched.Store(true)
	}
	return l.lens.columns.Load()
}

// FacetColumns keeps facets of this version that are counted often.
func (l *Lens) FacetColumns() *facet.Columns { return &l.lens.facets }

// Memo keeps costly results for this version of the shard.
func (l *Lens) Memo() *rank.Memo { return &l.lens.memo }

// Tokens opens a reader of token records.
func (l *Lens) Tokens() rank.TokenReader { return l.OpenTokens() }

// Exists, Null and Empty are the documents in which a faceted field stands at
// all, with a null, or with "", [] or {}.
func (l *Lens) Exists(fid uint16) (docset.Set, error) { return l.FacetExists(fid) }

// Null see Exists.
func (l *Lens) Null(fid uint16) (docset.Set, error) { return l.FacetIsNull(fid) }

// Empty see Exists.
func (l *Lens) Empty(fid uint16) (docset.Set, error) { return l.FacetIsEmpty(fid) }

// NumberRange is the union over the values from <= v <= to.
func (l *Lens) NumberRange(fid uint16, from, to float64) (docset.Set, error) {
	name := numberName(nil, fid, record.OrderedFloat(from))
	last := numberName(nil, fid, record.OrderedFloat(to))
	return l.valueRange("n"+string(name)+string(last), tableNumber, name, func(name []byte) bool { return bytes.Compare(name, last) <= 0 })
}

// StringRange is the union over the facet forms from <= v < to in byte order, to
// "" being no bound.
func (l *Lens) StringRange(fid uint16, from, to string) (docset.Set, error) {
	name := stringName(nil, fid, []byte(from))
	if to == "" {
		return l.valueRange("s"+string(name), tableString, name, func([]byte) bool { return true })
	}
	end := stringName(nil, fid, []byte(to))
	return l.valueRange("s"+string(name)+string(end), tableString, name, func(name []byte) bool { return bytes.Compare(name, end) < 0 })
}

// valueRange unites the posting lists of a field from one name on, as long as
// the names are inside. The blocks are added as they are stored: no list of a
// value is decoded by itself. key names the range among those kept for the version.
func (c *core) valueRange(key string, t table, from []byte, inside func(name []byte) bool) (docset.Set, error) {
	if set, ok := c.lens.ranges.get(key); ok {
		return set, nil
	}
	set, err := c.readRange(t, from, inside)
	if err == nil {
		c.lens.ranges.put(key, set)
	}
	return set, err
}

func (c *core) readRange(t table, from []byte, inside func(name []byte) bool) (docset.Set, error) {
	prefix := c.keys.prefix(nil, t)
	field := append(bytes.Clone(prefix), from[:2]...)
	it := c.borrow()
	defer c.giveBack(it)
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
		if len(value) == 0 || value[0] != operandSet {
			return docset.Set{}, errCorruptValue
		}
		if err := out.AddEncoded(binary.BigEndian.Uint16(key[len(key)-2:]), value[1:]); err != nil {
			return docset.Set{}, err
		}
	}
	return out.Set(), it.Error()
}

// StringForms walks the facet forms of a field in byte order until f returns
// false. docs reads the documents of the form and is valid during the call only.
func (l *Lens) StringForms(fid uint16, f func(form string, docs func() (docset.Set, error)) bool) error {
	prefix := binary.BigEndian.AppendUint16(l.keys.prefix(nil, tableString), fid)
	it := l.borrow()
	defer l.giveBack(it)
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
		if !f(name, func() (docset.Set, error) { return l.String(fid, name) }) {
			return nil
		}
		for more = it.Next(); more && sameValue(it.Key(), prefix, rest); {
			more = it.Next()
		}
	}
	return it.Error()
}
