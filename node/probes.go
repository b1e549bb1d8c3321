package node

import (
	"context"
	"time"

	"shoal/coordinator"
	"shoal/node/catchup"
	"shoal/wire"
)

// probes implements admin.Probes for this process.
type probes struct{ n *Node }

// Stopping tells whether the process was asked to end.
func (p probes) Stopping() bool { return p.n.stopping.Load() }

// Draining tells whether the copies of this node are being moved to others.
func (p probes) Draining() bool {
	d, ok := p.n.group.Catalog().Node(p.n.self.ID)
	return ok && d.Draining
}

// Behind is the number of log entries that are known here but not applied.
func (p probes) Behind() uint64 {
	s := p.n.group.Stats()
	return s.Committed - min(s.Applied, s.Committed)
}

// Lacking counts copies of this node that have not caught up since its start. For a while,
// until the first contact to a leader, the catalogue is old and known is false.
func (p probes) Lacking() (copies int, known bool) { return p.n.copies.Lacking() }

// standDown fails /readyz and goes on serving for --shutdown-delay, so that load balancers
// stop sending requests before the first one is refused. A fault ends the wait.
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

// watchCopies starts the watch over the copies of this node.
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
