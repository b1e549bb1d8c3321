package version

import (
	"shoal/api/settings"
	"shoal/shard/rank/scope"
	"shoal/shard/render"
	"shoal/text"
	"shoal/wire"
)

// schemaOf is what the settings make of the fields, for ranking and rendering.
type schemaOf struct {
	settings *settings.Settings
	schema   *scope.Schema
	render   *render.Plan
	// dimensions are those of the embedders, as far as they are known.
	dimensions map[string]int
}

// known returns what the settings of the View make of the fields.
func (v *View) known() *schemaOf {
	known := v.schema.Load()
	if known == nil {
		known = v.caches.schemaFor(v.settings, v.fields, v.shared.Segmenters)
		v.schema.Store(known)
	}
	return known
}

// schemaFor returns what settings make of the fields; that of the last settings asked
// for is kept.
func (c *Caches) schemaFor(settings *settings.Settings, fields []string, segmenters text.Segmenters) *schemaOf {
	known := c.schema.Load()
	if known != nil && known.settings == settings {
		return known
	}
	known = &schemaOf{
		settings: settings, schema: scope.NewSchema(settings, fields),
		render: render.NewPlan(settings, fields, segmenters), dimensions: map[string]int{},
	}
	for name := range settings.Embedders {
		if e, _, err := settings.Embedder(name); err == nil { // a build would have failed on another one
			known.dimensions[name] = e.Dimensions
		}
	}
	c.schema.Store(known)
	return known
}

// Schema says what the settings make of the fields.
func (v *View) Schema() *scope.Schema { return v.known().schema }

// Render renders the documents of a page.
func (v *View) Render(step *wire.FetchStep) (*wire.FetchReply, error) {
	return v.known().render.Fetch(v, step)
}
