package shard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"shoal/api/settings"
	"shoal/shard/gate"
	"shoal/shard/listing"
	"shoal/shard/session"
	"shoal/shard/union"
	"shoal/shard/version"
	"shoal/wire"
	"shoal/wire/span"
)

// Searches read versions of the shards of this node. Safe for concurrent use.
type Searches struct {
	*resources
	calls    *calls
	replicas *replicas
	gate     *gate.Gate // tells background work about them
}

// OpenSearch opens a search session on one version of a shard, or of several shards as
// one. Closing the session releases the version.
func (s *Searches) OpenSearch(ctx context.Context, r *wire.SearchOpen) (wire.Session, error) {
	if len(r.Others) > 0 {
		v, err := s.United(ctx, &r.Index, r.Others)
		if err != nil {
			return nil, err
		}
		keys := []wire.ShardKey{r.Index.Key}
		for _, o := range r.Others {
			keys = append(keys, wire.ShardKey{IndexID: r.Index.Key.IndexID, Shard: o.Shard})
		}
		return &searchSession{session.New(v), s, keys}, nil
	}
	v, err := s.View(ctx, &r.Index)
	if err != nil {
		return nil, err
	}
	return &searchSession{session.New(v), s, []wire.ShardKey{r.Index.Key}}, nil
}

// searchSession makes background work yield to its steps and reports data that the disk
// lost.
type searchSession struct {
	wire.Session
	on   *Searches
	keys []wire.ShardKey
}

// Step implements wire.Session.
func (s *searchSession) Step(ctx context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
	s.on.gate.Enter()
	defer s.on.gate.Leave()
	ctx, piece := span.Start(ctx, "step")
	defer piece.End()
	piece.Set("shoal.step", step.Kind())
	reply, err := s.Session.Step(ctx, step)
	piece.Fail(err)
	return reply, s.on.faults.Translate(err, s.keys...)
}

// List reads documents in listing order.
func (s *Searches) List(ctx context.Context, r *wire.ListRequest) (*wire.ListReply, error) {
	v, err := s.View(ctx, &r.Index)
	if err != nil {
		return nil, err
	}
	reply, err := listing.List(ctx, v, r)
	return reply, errors.Join(s.faults.Translate(err, r.Index.Key), v.Close())
}

// View returns exactly the version that a request names, never a newer one. Errors:
// wire.ErrBehind if it has not arrived, wire.ErrGone if it is no longer kept,
// wire.ErrNoShard. The caller must close the View.
func (s *Searches) View(ctx context.Context, x *wire.PinnedIndex) (*version.View, error) {
	if err := s.calls.enter(); err != nil {
		return nil, err
	}
	defer s.calls.leave()
	r, err := s.replicas.loaded(x.Key)
	if err != nil {
		return nil, err
	}
	c, err := r.acquire(ctx, s.wantedBy(x.Key, x, x.DeltaID))
	if err != nil {
		return nil, err
	}
	settings, pk, err := s.asked(c, x)
	if err != nil {
		c.Release()
		return nil, err
	}
	return c.ViewWith(settings, pk), nil
}

// wantedBy identifies the version that a request reads. delta is the one that led to
// it, "" if unknown.
func (s *Searches) wantedBy(key wire.ShardKey, x *wire.PinnedIndex, delta string) wanted {
	if delta != "" {
		return wanted{version: x.Version, delta: delta, byDelta: true}
	}
	return s.catalogue.deltaAt(key, x.Version)
}

// asked returns the settings and the primary key with which a request reads a version.
func (s *Searches) asked(c *version.Version, x *wire.PinnedIndex) (settings *settings.Settings, pk string, err error) {
	raw, settings := c.Stored()
	if x.Settings == nil {
		settings = s.newerSettings(c, x)
	} else if string(x.Settings) != string(raw) {
		// The settings changed without work for the shards.
		settings, err = version.DecodeSettings(x.Settings)
	}
	return settings, cmp.Or(x.PrimaryKey, c.State().PrimaryKey), err
}

// United returns exact versions of several shards of an index, read as one: the shard
// of x and others. Errors as for View. The caller must close it.
func (s *Searches) United(ctx context.Context, x *wire.PinnedIndex, others []wire.PinnedShard) (*union.View, error) {
	if err := s.calls.enter(); err != nil {
		return nil, err
	}
	defer s.calls.leave()
	pinned := append([]wire.PinnedShard{{Shard: x.Key.Shard, DeltaID: x.DeltaID}}, others...)
	slices.SortFunc(pinned, func(a, b wire.PinnedShard) int { return cmp.Compare(a.Shard, b.Shard) })
	shards, wants := make([]uint16, len(pinned)), make([]wanted, len(pinned))
	for i, p := range pinned {
		if i > 0 && p.Shard == pinned[i-1].Shard {
			return nil, fmt.Errorf("shard: a search names shard %d twice", p.Shard)
		}
		shards[i], wants[i] = p.Shard, s.wantedBy(wire.ShardKey{IndexID: x.Key.IndexID, Shard: p.Shard}, x, p.DeltaID)
	}
	for _, shard := range shards {
		if err := s.faults.Refusal(wire.ShardKey{IndexID: x.Key.IndexID, Shard: shard}); err != nil {
			return nil, err
		}
	}
	u := s.unions.Find(x.Key.IndexID, shards, func(i int, c *version.Version) bool { return wants[i].is(c) })
	if u == nil {
		parts, err := s.acquireAll(ctx, x.Key.IndexID, shards, wants)
		if err != nil {
			return nil, err
		}
		u = s.unions.Unite(x.Key.IndexID, shards, parts)
	}
	settings, pk, err := s.asked(u.Newest(), x)
	if err != nil {
		u.Release()
		return nil, err
	}
	return u.View(settings, pk), nil
}

// acquireAll returns the wanted versions of some shards, with a reference to each.
func (s *Searches) acquireAll(ctx context.Context, index uint32, shards []uint16, wants []wanted) (parts []*version.Version, err error) {
	defer func() {
		if err != nil {
			for _, c := range parts {
				c.Release()
			}
		}
	}()
	replicas, err := s.replicas.load(index, shards)
	if err != nil {
		return nil, err
	}
	for i, r := range replicas {
		c, err := r.acquire(ctx, wants[i])
		if err != nil {
			return parts, err
		}
		parts = append(parts, c)
	}
	return parts, nil
}

// newerSettings returns the catalogue's settings if the request was made for them, else
// the shard's own.
func (s *Searches) newerSettings(c *version.Version, x *wire.PinnedIndex) *settings.Settings {
	_, own := c.Stored()
	index, ok := s.catalogue.index(x.Key.IndexID)
	if !ok || index.SettingsVersion != x.SettingsVersion || index.SettingsVersion <= c.State().Version {
		return own
	}
	return index.DecodedSettings()
}
