package shard

import (
	"slices"

	"shoal/shard/version"
	"shoal/wire"
)

// catalogue answers what the log says of the shards of this node. The functions are
// those of Options and may be nil. Safe for concurrent use.
type catalogue struct {
	node     wire.NodeID
	find     func(id uint32) (*wire.Index, bool)
	list     func() []*wire.Index
	taskOver func(uid uint32) (bool, error)
}

// index looks an index up.
func (c *catalogue) index(id uint32) (*wire.Index, bool) {
	if c.find == nil {
		return nil, false
	}
	return c.find(id)
}

// name returns the name of an index, "" if it is unknown.
func (c *catalogue) name(id uint32) string {
	if x, ok := c.index(id); ok {
		return x.UID
	}
	return ""
}

// indexes returns all indexes, nil if they are unknown.
func (c *catalogue) indexes() []*wire.Index {
	if c.list == nil {
		return nil
	}
	return c.list()
}

// elsewhere reports whether another node has the shard in sync.
func (c *catalogue) elsewhere(key wire.ShardKey) bool {
	x, ok := c.index(key.IndexID)
	if !ok {
		return false
	}
	s := x.ShardNumbered(key.Shard)
	return s != nil && slices.ContainsFunc(s.Replicas, func(r wire.Replica) bool { return r.Node != c.node && r.State == wire.InSync })
}

// replaced reports whether every shard of this node is in sync on another node. It is
// false if the indexes are unknown.
func (c *catalogue) replaced() bool {
	if c.list == nil {
		return false
	}
	for _, x := range c.list() {
		for i := range x.Shards {
			key := wire.ShardKey{IndexID: x.ID, Shard: x.Shards[i].Number}
			if mine := x.Shards[i].ReplicaOn(c.node); mine != nil && x.Version > 0 && !c.elsewhere(key) {
				return false
			}
		}
	}
	return true
}

// heldByAll is the newest version of a shard whose deltas no other replica can lack, by
// the newest catalogue on this node.
func (c *catalogue) heldByAll(key wire.ShardKey) uint64 {
	x, ok := c.index(key.IndexID)
	if !ok {
		return 0
	}
	return heldByAll(x, key.Shard)
}

// heldByAll is the newest version whose deltas no other replica can lack: all replicas were
// in sync when it was published, so they hold it. It is 0 if one is away.
func heldByAll(x *wire.Index, number uint16) uint64 {
	for i := range x.Shards {
		if s := &x.Shards[i]; s.Number == number && len(s.Replicas) > 0 {
			away := func(p wire.Replica) bool { return p.State != wire.InSync }
			if !slices.ContainsFunc(s.Replicas, away) {
				return x.Version
			}
		}
	}
	return 0
}

// wanted identifies the version that a request reads, by the delta that led to it or
// else by number.
type wanted struct {
	version uint64
	delta   string
	// byDelta: delta decides. "" then means the state before the first delta.
	byDelta bool
}

// is reports whether c is the wanted version.
func (w wanted) is(c *version.Version) bool {
	if w.byDelta {
		return c.State().DeltaID == w.delta
	}
	return c.State().Version == w.version
}

// deltaAt asks which delta led to the shard's content at version.
func (c *catalogue) deltaAt(key wire.ShardKey, version uint64) wanted {
	w := wanted{version: version}
	x, ok := c.index(key.IndexID)
	if !ok || x.Version < version {
		return w
	}
	for i := range x.Shards {
		s := &x.Shards[i]
		if s.Number != key.Shard {
			continue
		}
		w.byDelta = len(s.Deltas) == 0 || s.Deltas[0].Version <= version
		for _, d := range s.Deltas {
			if d.Version <= version {
				w.delta = d.ID
			}
		}
	}
	return w
}
