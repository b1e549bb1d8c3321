package version

import (
	"sync/atomic"

	"shoal/api/settings"
	"shoal/shard/lexicon"
	"shoal/wire"
)

// View is an immutable state of one shard at one version. It keeps the version
// alive until it is closed. Methods are safe for concurrent use and return sets
// and values that are shared: do not modify.
type View struct {
	*Version
	closed   atomic.Bool
	schema   atomic.Pointer[schemaOf]
	settings *settings.Settings
	pk       string
}

// View wraps the version, whose reference the View takes over.
func (c *Version) View() *View { return c.ViewWith(c.settings, c.state.PrimaryKey) }

// ViewWith is view with the settings and the primary key of a request.
func (c *Version) ViewWith(settings *settings.Settings, primaryKey string) *View {
	c.shared.Views.Add(1)
	return &View{Version: c, settings: settings, pk: primaryKey}
}

// Close lets go of the version. Further calls do nothing.
func (v *View) Close() error {
	if v.closed.Swap(true) {
		return nil
	}
	v.Version.Release()
	v.shared.Views.Add(-1)
	return nil
}

// Settings returns the index's settings; do not modify.
func (v *View) Settings() *settings.Settings { return v.settings }

// PrimaryKey returns the index's primary key, "" when it has none yet.
func (v *View) PrimaryKey() string { return v.pk }

// FieldID returns the id of a field name.
func (v *View) FieldID(name string) (uint16, bool) {
	fid, ok := v.fieldIDs()[name]
	return fid, ok
}

// Stats returns the shard's figures.
func (v *View) Stats() wire.ShardStats { return v.state.Stats(v.fields) }

// Dictionary returns the words that have a tolerant occurrence, with the number
// of documents each.
func (v *View) Dictionary() *lexicon.Dictionary { return v.words }

// ExactDictionary returns the words that have an exact occurrence.
func (v *View) ExactDictionary() *lexicon.Dictionary { return v.exact }
