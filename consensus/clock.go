package consensus

import (
	"sync/atomic"
	"time"

	"shoal/consensus/lease"
)

// Clock tells a node the time. A nil member means the system's clock. Both
// members must be safe for concurrent use.
type Clock struct {
	// Elapsed is the time since some moment. Leases are measured with it: it must go on
	// while the machine sleeps, or a lease would outlast itself.
	Elapsed func() time.Duration
	// Now is the time of day. The leader stamps entries with it and decides by it what
	// has expired. The clocks of nodes may differ.
	Now func() time.Time
}

func (c *Clock) defaults() {
	if c.Elapsed == nil {
		c.Elapsed = lease.Uptime
	}
	if c.Now == nil {
		c.Now = time.Now
	}
}

// leaderClock is the time of day of the leader that this node has heard last.
type leaderClock struct {
	told atomic.Pointer[told]
}

// told is a leader's time of day, and when it was heard by this node's lease clock.
type told struct {
	wall, at int64
}

// hear records the leader's time of day from the answer to a report that was sent at a
// moment of this node's lease clock.
func (c *leaderClock) hear(reply *Reply, sent, now int64) {
	if reply.Wall != 0 {
		c.told.Store(&told{wall: reply.Wall, at: sent + (now-sent)/2})
	}
}

// Now is the leader's time of day, as precise as the round trip of a report, so that things
// expire on all nodes at once, even if one clock is wrong. A node that is cut off continues
// from the time it heard last. A node that never heard from a leader uses its own clock.
func (g *Group) Now() time.Time {
	if g.leading.Load() == nil {
		if t := g.leaderClock.told.Load(); t != nil {
			return time.Unix(0, t.wall+g.ticks.Now()-t.at)
		}
	}
	return g.cfg.Clock.Now()
}
