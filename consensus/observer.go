package consensus

import (
	"time"

	"shoal/consensus/fsm"
	"shoal/wire"
)

// Observer hears of the steps of a group that decide what clients may be told: the
// simulation compares them with the model of docs/model. Its methods are called at the
// moment of the step, from any goroutine and some with locks held: they must neither block
// nor call the group, and keep no slice that they are given.
type Observer interface {
	fsm.Observer
	// Leased: this node may answer until a moment of Clock.Elapsed, because the leader of a
	// term said so, which may be this node.
	Leased(term uint64, until time.Duration)
	// Shown: this node leads a term and lets ends of tasks up to a log time be shown.
	// Counted lists the others that it counts as leased.
	Shown(term uint64, at int64, counted []wire.NodeID)
}

// observe tells the observer of a watermark that was raised. The caller holds b.mu.
func (b *leaseTable) observe(now int64) {
	o := b.cfg.Observer
	if o == nil {
		return
	}
	var counted []wire.NodeID
	for id, s := range b.nodes {
		if now < s.until {
			counted = append(counted, id)
		}
	}
	o.Shown(b.term, b.watermark, counted)
}
