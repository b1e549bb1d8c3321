package version

import (
	"sync/atomic"

	"shoal/api/settings"
	"shoal/shard/rank/scope"
	"shoal/shard/render"
	"shoal/text/dictionary"
	"shoal/wire"
	"shoal/wire/same"
)

// schemaOf is what the settings make of the fields, for ranking and rendering.
type schemaOf struct {
	settings     *settings.Settings
	dictionaries dictionary.Set
	schema       *scope.Schema
	render       *render.Plan
	// dimensions are those of the embedders, as far as they are known.
	dimensions map[string]int
}

// Reading is a space with the settings of one request. It must not be copied once it is
// in use. Safe for concurrent use.
type Reading struct {
	space    *Space
	settings *settings.Settings
	pk       string
	schema   *atomic.Pointer[schemaOf]
}

// Reading returns the space with settings and a primary key.
func (s *Space) Reading(settings *settings.Settings, primaryKey string) Reading {
	return Reading{space: s, settings: settings, pk: primaryKey, schema: new(atomic.Pointer[schemaOf])}
}

// Settings returns the index's settings; do not modify.
func (r *Reading) Settings() *settings.Settings { return r.settings }

// PrimaryKey returns the index's primary key, "" when it has none yet.
func (r *Reading) PrimaryKey() string { return r.pk }

// known returns what the settings make of the fields.
func (r *Reading) known() *schemaOf {
	known := r.schema.Load()
	if known == nil {
		known = r.space.caches.schemaFor(r.settings, r.space.fields, r.space.dictionaries())
		r.schema.Store(known)
	}
	return known
}

// schemaFor returns what settings make of the fields; that of the last settings asked
// for is kept.
func (c *Caches) schemaFor(settings *settings.Settings, fields []string, dictionaries dictionary.Set) *schemaOf {
	known := c.schema.Load()
	if known != nil && known.settings == settings && known.dictionaries == dictionaries {
		return known
	}
	of := schemaKey{settings, dictionaries, wire.FieldsKey(fields)}
	known, _ = schemas.Of(of, func() (*schemaOf, error) { return newSchemaOf(settings, fields, dictionaries), nil })
	c.schema.Store(known)
	return known
}

// schemas are those that indexes of this process use, by what they are made of: those with
// the same fields and settings share one.
var schemas same.Values[schemaKey, schemaOf]

// schemaKey is what a schema is made of.
type schemaKey struct {
	settings     *settings.Settings
	dictionaries dictionary.Set
	fields       string
}

func newSchemaOf(settings *settings.Settings, fields []string, dictionaries dictionary.Set) *schemaOf {
	known := &schemaOf{
		settings: settings, dictionaries: dictionaries, schema: scope.NewSchema(settings, fields),
		render: render.NewPlan(settings, fields, dictionaries), dimensions: map[string]int{},
	}
	for name := range settings.Embedders {
		if e, _, err := settings.Embedder(name); err == nil { // a build would have failed on another one
			known.dimensions[name] = e.Dimensions
		}
	}
	return known
}

// Schema says what the settings make of the fields.
func (r *Reading) Schema() *scope.Schema { return r.known().schema }

// Render renders the documents of a page.
func (r *Reading) Render(step *wire.FetchStep) (*wire.FetchReply, error) {
	return r.known().render.Fetch(rendered{r.space, r}, step)
}

// rendered is what rendering reads.
type rendered struct {
	*Space
	reading *Reading
}

// Embeddings see Reading.Embeddings.
func (r rendered) Embeddings(ord uint32) ([]render.Embedding, error) {
	return r.reading.Embeddings(ord)
}
