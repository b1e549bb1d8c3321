package version

import (
	"sync/atomic"

	"shoal/api/settings"
	"shoal/wire"
)

// View is one shard at one version. It keeps the version alive until it is closed.
// Methods are safe for concurrent use and return shared sets and values: do not modify
// them.
type View struct {
	*Version
	Reading
	closed atomic.Bool
}

// View wraps the version and takes over the caller's reference.
func (c *Version) View() *View { return c.ViewWith(c.stored, c.state.PrimaryKey) }

// Base returns the view that a build with these settings reads. Like View it takes over
// the reference. A shard that was never written has no settings of its own yet, if the
// import of a dump created its index with settings. Its filters use those of the build.
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

// ViewWith is View with the settings and the primary key of a request.
func (c *Version) ViewWith(settings *settings.Settings, primaryKey string) *View {
	c.shared.Views.Add(1)
	return &View{Version: c, Reading: c.Space.Reading(settings, primaryKey)}
}

// Close releases the version. Further calls do nothing.
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
