package lease

import (
	"time"

	"shoal/wire"
)

// Observer hears of leases and of the watermark. Its methods are called at the moment of the
// step, from any goroutine and some with locks held. They must neither block nor call this
// package, and keep no slice that they are given.
type Observer interface {
	// Leased: this node may answer until a moment of Clock.Elapsed, because the leader of a
	// term said so, which may be this node.
	Leased(term uint64, until time.Duration)
	// Shown: this node leads a term and lets ends of tasks up to a log time be shown.
	// Counted lists the others that it counts as leased.
	Shown(term uint64, at int64, counted []wire.NodeID)
}

// observe tells the observer of a watermark that was raised. The caller holds t.mu.
func (t *Table) observe(now int64) {
	o := t.cfg.Observer
	if o == nil {
		return
	}
	var counted []wire.NodeID
	for id, s := range t.nodes {
		if now < s.until {
			counted = append(counted, id)
		}
	}
	o.Shown(t.cfg.Term, t.watermark, counted)
}
