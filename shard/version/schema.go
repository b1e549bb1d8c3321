package version

import (
	"sync"
	"sync/atomic"

	"shoal/api/settings"
	"shoal/shard/extract"
	"shoal/shard/rank/scope"
	"shoal/shard/render"
	"shoal/text/dictionary"
	"shoal/wire"
	"shoal/wire/same"
)

// schemaOf describes the fields under some settings, for ranking and rendering.
type schemaOf struct {
	settings     *settings.Settings
	dictionaries dictionary.Set
	schema       *scope.Schema
	render       *render.Plan
	// dimensions are those of the embedders, if known.
	dimensions map[string]int
	// elements is the plan of elements of arrays, for filters.
	elements func() *extract.Plan
}

// Reading is a space with the settings of one request. Do not copy it after first use.
// Safe for concurrent use.
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

// Settings returns the index's settings. Do not modify them.
func (r *Reading) Settings() *settings.Settings { return r.settings }

// PrimaryKey returns the index's primary key, "" if it has none yet.
func (r *Reading) PrimaryKey() string { return r.pk }

// known returns the schema of the settings.
func (r *Reading) known() *schemaOf {
	known := r.schema.Load()
	if known == nil {
		known = r.space.caches.schemaFor(r.settings, r.space.fields, r.space.dictionaries())
		r.schema.Store(known)
	}
	return known
}

// schemaFor returns the schema of some settings. It caches the last one.
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

// schemas are shared between indexes of this process with the same fields and settings.
var schemas same.Values[schemaKey, schemaOf]

// schemaKey determines a schema.
type schemaKey struct {
	settings     *settings.Settings
	dictionaries dictionary.Set
	fields       string
}

func newSchemaOf(settings *settings.Settings, fields []string, dictionaries dictionary.Set) *schemaOf {
	known := &schemaOf{
		settings: settings, dictionaries: dictionaries, schema: scope.NewSchema(settings, fields),
		render: render.NewPlan(settings, fields, dictionaries), dimensions: map[string]int{},
		elements: sync.OnceValue(func() *extract.Plan { return extract.NewElementPlan(settings, fields) }),
	}
	for name := range settings.Embedders {
		if e, _, err := settings.Embedder(name); err == nil { // a build would have failed otherwise
			known.dimensions[name] = e.Dimensions
		}
	}
	return known
}

// Schema returns the ranking schema of the settings.
func (r *Reading) Schema() *scope.Schema { return r.known().schema }

// Render renders the documents of a page.
func (r *Reading) Render(step *wire.FetchStep) (*wire.FetchReply, error) {
	own := *step
	own.Ordinals = r.space.order().Rows(step.Ordinals)
	return r.known().render.Fetch(rendered{r.space, r}, &own)
}

// rendered is what rendering reads.
type rendered struct {
	*Space
	reading *Reading
}

// Embeddings implements the interface of rendering; see Reading.Embeddings.
func (r rendered) Embeddings(ord uint32) ([]render.Embedding, error) {
	return r.reading.Embeddings(ord)
}
