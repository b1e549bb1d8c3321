package node

import (
	"context"
	"time"

	"shoal/coordinator"
	"shoal/node/catchup"
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

// Lacking counts copies of this node that have not caught up since its start. Before the
// first word from a leader the catalogue is an old one, and known is false: for a while.
func (p probes) Lacking() (copies int, known bool) { return p.n.copies.Lacking() }

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

// watchCopies begins to look at the copies of this node.
func (n *Node) watchCopies(context.Context) error {
	n.run(n.copies.Run)
	return nil
}

func (n *Node) newCopies(log coordinator.Log) *catchup.Copies {
	return catchup.New(catchup.Config{
		Self: n.self.ID, Log: log, Alive: n.alive, Out: n.log,
		Seen:    func(id wire.NodeID) bool { _, seen := n.gossip.Node(id); return seen },
		Reached: func() bool { return len(n.gossip.Members()) > 1 },
		Whole: func(x *wire.Index, shard uint16) bool {
			_, whole, err := n.host.Holds(x, shard)
			return err == nil && whole
		},
	})
}
