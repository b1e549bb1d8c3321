package consensus

import (
	"time"

	"shoal/consensus/uptime"
)

// Clock is what a node takes for the time. A nil member means the system's clock. Both
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
		c.Elapsed = uptime.Elapsed
	}
	if c.Now == nil {
		c.Now = time.Now
	}
}

// told is what a leader said of the time of day, and when, by this node's clock of
// leases.
type told struct {
	wall, at int64
}

// hear notes the leader's time of day from an answer to a report that was sent at a
// moment of this node's clock.
func (g *Group) hear(reply *Reply, sent int64) {
	if reply.Wall != 0 {
		g.told.Store(&told{wall: reply.Wall, at: sent + (g.now()-sent)/2})
	}
}

// Now is the leader's time of day, as good as the round trip of a report: what
// expires does so on all nodes at once, however wrong the clock of one of them is. A
// node that is cut off goes on from what it heard last; one that never heard from a
// leader takes its own clock.
func (g *Group) Now() time.Time {
	if g.leading.Load() == nil {
		if t := g.told.Load(); t != nil {
			return time.Unix(0, t.wall+g.now()-t.at)
		}
	}
	return g.cfg.Clock.Now()
}
