package version

import (
	"sync/atomic"

	"shoal/api/settings"
	"shoal/wire"
)

// View is an immutable state of one shard at one version. It keeps the version
// alive until it is closed. Methods are safe for concurrent use and return sets
// and values that are shared: do not modify.
type View struct {
	*Version
	Reading
	closed atomic.Bool
}

// View wraps the version, whose reference the View takes over.
func (c *Version) View() *View { return c.ViewWith(c.stored, c.state.PrimaryKey) }

// Base returns the view that a build with these settings reads; like View it takes over the
// reference. A shard that was never written, of an index that was made with its settings by
// the import of a dump, has none of its own yet: filters read those of the build.
func (c *Version) Base(raw []byte, primaryKey string) (*View, error) {
	if c.state.DeltaID != "" {
		return c.View(), nil
	}
	settings, err := DecodeSettings(raw)
	if err != nil {
		c.Release()
		return nil, err
	}
	return c.ViewWith(settings, primaryKey), nil
}

// ViewWith is view with the settings and the primary key of a request.
func (c *Version) ViewWith(settings *settings.Settings, primaryKey string) *View {
	c.shared.Views.Add(1)
	return &View{Version: c, Reading: c.Space.Reading(settings, primaryKey)}
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

// Stats returns the shard's figures.
func (v *View) Stats() wire.ShardStats { return v.state.Stats(v.fields) }
