package catchup

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"shoal/coordinator"
	"shoal/coordinator/replica"
	"shoal/wire"
)

const (
	// catchUpLimit is how long copies may keep a node from being ready: what takes longer
	// must not take several nodes out of service.
	catchUpLimit = 10 * time.Minute
	// contactLimit is how long the first word from a leader may.
	contactLimit = 10 * time.Second
	// settleLimit is how long what was under way when this node came may: a batch, and
	// gossip that has not found all nodes.
	settleLimit = 5 * time.Second
	// gossipLimit is how long gossip may take to reach anybody. It waits ten seconds for
	// each seed that does not answer.
	gossipLimit = 30 * time.Second
	// catchUpEvery is how often the copies are looked at.
	catchUpEvery = 50 * time.Millisecond
)

// Config is what Copies ask about this node and about others.
type Config struct {
	Self wire.NodeID
	Log  coordinator.Log
	// Alive tells whether gossip sees a node, Seen whether it has seen it since the start.
	Alive, Seen func(wire.NodeID) bool
	// Reached tells whether gossip sees anybody.
	Reached func() bool
	// Whole tells whether this node has what an index has published of a shard.
	Whole func(x *wire.Index, shard uint16) bool
	Out   *slog.Logger
}

// Copies are those of a node that was started. It can stand in for others when all of
// them have what is published. Run looks, any goroutine may ask.
type Copies struct {
	Config

	copies atomic.Int64 // that lack something
	known  atomic.Bool

	// since are the versions of indexes at the first word from a leader, when that was.
	since   map[uint32]uint64
	contact time.Time
}

// New returns the copies of a node of which nothing is known yet.
func New(cfg Config) *Copies { return &Copies{Config: cfg} }

// Run looks until no copy lacks anything. After that the answer is the same for good: a
// copy that falls behind later is passed over by searches, and others need this node.
func (c *Copies) Run(ctx context.Context) {
	begun := time.Now()
	for !c.hear(ctx) {
		if time.Since(begun) > contactLimit {
			c.known.Store(true)
		}
		if !coordinator.Sleep(ctx, catchUpEvery) {
			return
		}
	}
	for {
		n := c.lacking(time.Now())
		if n > 0 && time.Since(begun) > catchUpLimit {
			c.Out.Warn("ready though some copies have not caught up", "copies", n, "after", catchUpLimit.String())
			n = 0
		}
		c.copies.Store(int64(n))
		c.known.Store(true)
		if n == 0 || !coordinator.Sleep(ctx, catchUpEvery) {
			return
		}
	}
}

// hear reports whether the catalogue is not older than this node's start. A lease is no
// proof: a node that is back within its former one gets the next without having applied
// what was committed meanwhile.
func (c *Copies) hear(ctx context.Context) bool {
	if err := c.Log.Barrier(ctx); err != nil {
		c.Out.Debug("no word from a leader yet", "error", err)
		return false
	}
	c.contact, c.since = time.Now(), map[uint32]uint64{}
	for _, x := range c.Log.Catalog().Indexes() {
		c.since[x.ID] = x.Version
	}
	return true
}

// lacking counts the copies on this node that wait for what another one has.
func (c *Copies) lacking(now time.Time) (copies int) {
	var busy map[string]bool // made when needed
	for _, x := range c.Log.Catalog().Indexes() {
		for i := range x.Shards {
			s := &x.Shards[i]
			mine := s.ReplicaOn(c.Self)
			if mine == nil || !c.spared(s, now) {
				continue
			}
			if mine.State != wire.InSync || !c.Whole(x, s.Number) {
				copies++
				continue
			}
			// A batch whose delta was sent out while this node was away commits without
			// this copy.
			if version, old := c.since[x.ID]; old && version == x.Version && now.Sub(c.contact) < settleLimit {
				if busy == nil {
					busy = replica.Busy(c.Log)
				}
				if busy[x.UID] {
					copies++
				}
			}
		}
	}
	return copies
}

// spared tells whether another node has a shard and can give it; one that gossip has not
// found yet counts for a while.
func (c *Copies) spared(s *wire.Shard, now time.Time) bool {
	unsure := settleLimit
	if !c.Reached() {
		unsure = gossipLimit // that it does not see a node says nothing
	}
	return slices.ContainsFunc(s.Replicas, func(r wire.Replica) bool {
		return r.Node != c.Self && r.State == wire.InSync && (c.Alive(r.Node) || !c.Seen(r.Node) && now.Sub(c.contact) < unsure)
	})
}

// Lacking is what the probes say (admin.Probes).
func (c *Copies) Lacking() (copies int, known bool) {
	return int(c.copies.Load()), c.known.Load()
}
