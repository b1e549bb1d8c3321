package shard

import (
	"context"

	"shoal/api/settings"
	"shoal/shard/version"
	"shoal/wire"
)

// View returns the exact version that a request names: never a newer one.
// Errors: wire.ErrBehind when it is not here yet, wire.ErrGone when it is not
// kept any more, wire.ErrNoShard. The View must be closed.
func (h *Host) View(ctx context.Context, x *wire.PinnedIndex) (*version.View, error) {
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
	raw, settings := c.Stored()
	pk := c.State().PrimaryKey
	if x.PrimaryKey != "" {
		pk = x.PrimaryKey
	}
	if x.Settings == nil {
		settings = h.newerSettings(c, x)
	} else if string(x.Settings) != string(raw) {
		// A change of settings that no shard had to work for.
		if settings, err = version.DecodeSettings(x.Settings); err != nil {
			c.Release()
			return nil, err
		}
	}
	return c.ViewWith(settings, pk), nil
}

// newerSettings returns the catalogue's settings when they are those of the
// request, else the shard's own.
func (h *Host) newerSettings(c *version.Version, x *wire.PinnedIndex) *settings.Settings {
	_, own := c.Stored()
	if h.o.Index == nil {
		return own
	}
	index, ok := h.o.Index(x.Key.IndexID)
	if !ok || index.SettingsVersion != x.SettingsVersion || index.SettingsVersion <= c.State().Version {
		return own
	}
	return index.DecodedSettings()
}
