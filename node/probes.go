package node

import "time"

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
func (p probes) Lacking() (copies int, known bool) { return p.n.catchUp.Lacking() }

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
