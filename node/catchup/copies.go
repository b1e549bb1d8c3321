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
	"shoal/wire/await"
)

const (
	// catchUpLimit bounds how long copies keep a node from being ready, because long
	// catching up must not take several nodes out of service.
	catchUpLimit = 10 * time.Minute
	// contactLimit bounds the wait for the first contact to a leader.
	contactLimit = 10 * time.Second
	// settleLimit bounds the wait for things that were under way when this node came: a
	// batch, and gossip that has not found all nodes yet.
	settleLimit = 5 * time.Second
	// gossipLimit bounds the wait for gossip to reach any node. It waits ten seconds for
	// each seed that does not answer.
	gossipLimit = 30 * time.Second
	// catchUpEvery is the time between looks at the copies.
	catchUpEvery = 50 * time.Millisecond
)

// Config holds the sources of Copies.
type Config struct {
	Self wire.NodeID
	Log  coordinator.Log
	// Alive tells whether gossip sees a node, Seen whether it has seen the node since the
	// start.
	Alive, Seen func(wire.NodeID) bool
	// Reached tells whether gossip sees any node.
	Reached func() bool
	// Whole tells whether this node has everything that an index has published of a shard.
	Whole func(x *wire.Index, shard uint16) bool
	Out   *slog.Logger
}

// Copies are the copies of shards on a started node. The node can stand in for others once
// all of them have everything that is published. One goroutine calls Run; any may ask.
type Copies struct {
	Config

	copies atomic.Int64 // copies that lack data
	known  atomic.Bool

	// since has the versions of indexes at the first contact to a leader, contact its time.
	since   map[uint32]uint64
	contact time.Time
}

// New returns the copies of a node. Their state is unknown until Run.
func New(cfg Config) *Copies { return &Copies{Config: cfg} }

// Run looks until no copy lacks data. Then the answer is final: searches pass over a copy
// that falls behind later, and other nodes need this one.
func (c *Copies) Run(ctx context.Context) {
	begun := time.Now()
	for !c.hear(ctx) {
		if time.Since(begun) > contactLimit {
			c.known.Store(true)
		}
		if await.Sleep(ctx, catchUpEvery) != nil {
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
		if n == 0 || await.Sleep(ctx, catchUpEvery) != nil {
			return
		}
	}
}

// hear returns whether the catalogue is at least as new as this node's start. A lease
// proves nothing: a node that restarts within its former lease gets the next one before it
// has applied what was committed meanwhile.
func (c *Copies) hear(ctx context.Context) bool {
	if err := c.Log.Barrier(ctx); err != nil {
		c.Out.Debug("no contact with a leader yet", "error", err)
		return false
	}
	c.contact, c.since = time.Now(), map[uint32]uint64{}
	for _, x := range c.Log.Catalog().Indexes() {
		c.since[x.ID] = x.Version
	}
	return true
}

// lacking counts the copies on this node that lack data which another node has.
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
			// A batch whose delta was sent while this node was away commits without this
			// copy.
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

// spared tells whether another node has the shard and can supply it. A node that gossip has
// not found yet counts as able for a while.
func (c *Copies) spared(s *wire.Shard, now time.Time) bool {
	unsure := settleLimit
	if !c.Reached() {
		unsure = gossipLimit // so far gossip sees nobody, so an unseen node may well be alive
	}
	return slices.ContainsFunc(s.Replicas, func(r wire.Replica) bool {
		return r.Node != c.Self && r.State == wire.InSync && (c.Alive(r.Node) || !c.Seen(r.Node) && now.Sub(c.contact) < unsure)
	})
}

// Lacking implements admin.Probes.
func (c *Copies) Lacking() (copies int, known bool) {
	return int(c.copies.Load()), c.known.Load()
}
