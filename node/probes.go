package node

import (
	"slices"
	"time"

	"shoal/wire"
)

// probes tells how this process stands (admin.Probes).
type probes struct{ n *Node }

// Stopping tells whether the process was asked to end.
func (p probes) Stopping() bool { return p.n.stopping.Load() }

// Draining tells whether the copies of this node are being moved away.
func (p probes) Draining() bool {
	d, ok := p.n.group.Catalog().Node(p.n.self.ID)
	return ok && d.Draining
}

// Behind is how many entries of the log are known here and not applied.
func (p probes) Behind() uint64 {
	s := p.n.group.Stats()
	return s.Committed - min(s.Applied, s.Committed)
}

const (
	// catchUpLimit is how long copies may keep a node from being ready: what takes longer
	// must not take several nodes out of service.
	catchUpLimit = 10 * time.Minute
	// contactLimit is how long the first word from a leader may.
	contactLimit = 10 * time.Second
	// gossipLimit is how long gossip may take to reach anybody. It waits ten seconds for
	// each seed that does not answer.
	gossipLimit = 30 * time.Second
)

// Lacking counts copies of this node that are not read yet, or lack what the catalogue
// has published, while another node has it. Once there was none the answer is 0 for good:
// a copy that falls behind later is passed over by searches, and others need this node.
// Before the first lease the catalogue is an old one, and known is false: for a while.
func (p probes) Lacking() (copies int, known bool) {
	if p.n.complete.Load() {
		return 0, true
	}
	now := time.Now()
	p.n.probed.CompareAndSwap(nil, &now)
	waited := now.Sub(*p.n.probed.Load())
	if fresh, _ := p.n.group.Lease(); !fresh {
		return 0, waited > contactLimit
	}
	copies = p.here(waited).lacking(p.n.group.Catalog().Indexes())
	if copies > 0 && waited > catchUpLimit {
		p.n.log.Warn("ready though some copies have not caught up", "copies", copies, "after", catchUpLimit.String())
		copies = 0
	}
	if copies == 0 {
		p.n.complete.Store(true)
	}
	return copies, true
}

// here is what this node has some time after the first probe.
func (p probes) here(waited time.Duration) *copiesHere {
	return &copiesHere{
		self: p.n.self.ID, alive: p.n.alive, alone: len(p.n.gossip.Members()) <= 1 && waited < gossipLimit,
		whole: func(x *wire.Index, shard uint16) bool {
			_, whole, err := p.n.host.Holds(x, shard)
			return err == nil && whole
		},
	}
}

// copiesHere are the copies of shards on a node.
type copiesHere struct {
	self  wire.NodeID
	alive func(wire.NodeID) bool
	// alone: gossip has not reached anybody yet, so that nobody is alive says nothing.
	alone bool
	whole func(x *wire.Index, shard uint16) bool
}

// lacking counts those that wait for what another node has.
func (c *copiesHere) lacking(indexes []*wire.Index) (copies int) {
	for _, x := range indexes {
		for i := range x.Shards {
			if c.lacks(x, &x.Shards[i]) {
				copies++
			}
		}
	}
	return copies
}

func (c *copiesHere) lacks(x *wire.Index, s *wire.Shard) bool {
	mine := s.ReplicaOn(c.self)
	if mine == nil || !slices.ContainsFunc(s.Replicas, func(r wire.Replica) bool {
		return r.Node != c.self && r.State == wire.InSync && (c.alone || c.alive(r.Node))
	}) {
		return false
	}
	return mine.State != wire.InSync || !c.whole(x, s.Number)
}

// standDown fails readiness and goes on serving for --shutdown-delay, so that whoever
// spreads requests sends them elsewhere before the first one is refused. A fault
// ends the wait.
func (n *Node) standDown(fatal <-chan end) {
	n.stopping.Store(true)
	delay := time.NewTimer(n.cfg.ShutdownDelay)
	defer delay.Stop()
	select {
	case <-delay.C:
	case why := <-fatal:
		n.log.Error("stopping at once", "err", why.err)
	}
}
