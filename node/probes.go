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
	for _, x := range p.n.group.Catalog().Indexes() {
		for i := range x.Shards {
			if p.lacks(x, &x.Shards[i]) {
				copies++
			}
		}
	}
	if copies > 0 && waited > catchUpLimit {
		p.n.log.Warn("ready though some copies have not caught up", "copies", copies, "after", catchUpLimit.String())
		copies = 0
	}
	if copies == 0 {
		p.n.complete.Store(true)
	}
	return copies, true
}

// lacks tells whether the copy of a shard here waits for what another node has.
func (p probes) lacks(x *wire.Index, s *wire.Shard) bool {
	mine := s.ReplicaOn(p.n.self.ID)
	if mine == nil || !slices.ContainsFunc(s.Replicas, func(r wire.Replica) bool {
		return r.Node != p.n.self.ID && r.State == wire.InSync && p.n.alive(r.Node)
	}) {
		return false
	}
	if mine.State != wire.InSync {
		return true
	}
	_, whole, err := p.n.host.Holds(x, s.Number)
	return err != nil || !whole
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
