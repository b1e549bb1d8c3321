package consensus

import "shoal/wire"

// A node that runs, but slowly, keeps its lease and makes every client wait for it: the
// end of a task is shown when all leased nodes have applied it. A node that is late again
// and again, while most others are in time, therefore gets no lease until it has kept up
// for a while. It goes on voting and keeps its copies. Meanwhile it answers like a node
// that is cut off (docs/adr/0009-a-slow-copy-is-left-behind.md). Times are parts of
// Config.FormerLease: that leases are shorter does not make a node slow.

// lateTimes is how often a node may be late before it gets no lease. Two delays count
// together when the second comes at most two leases after the first.
const lateTimes = 4

// lateAfter is how long a node may take to apply entries that clients wait for.
func (b *leaseTable) lateAfter() int64 { return int64(b.cfg.FormerLease) / 3 }

// barFor is how long a node must report in time before it gets a lease again.
func (b *leaseTable) barFor() int64 { return 4 * int64(b.cfg.FormerLease) }

// pace is the leader's knowledge of one node's speed.
type pace struct {
	target int64 // log time that it has to reach, 0 = it has applied what clients wait for
	since  int64 // when the others were there
	times  int   // how often it was late in a row
	last   int64 // when it was last late
	barred int64 // it gets no lease until then
}

// goneAfter is how long a node may take before it counts as gone instead of late. A node
// that is gone will be restarted and be as quick as before.
func (b *leaseTable) goneAfter() int64 {
	former := int64(b.cfg.FormerLease)
	return former + slack(former)
}

// watch starts the clock for a leased node that has not applied what clients wait for. The
// clock continues after the lease ends, because clients waited for all of it.
func (b *leaseTable) watch(s *standing, now int64) {
	awaited := b.fsm.LastAwaited.Load()
	switch leased := now < s.until; {
	case s.pace.target != 0 && !leased && now-s.pace.since >= b.goneAfter():
		s.pace.target = 0
	case s.pace.target == 0 && leased && s.at < awaited:
		s.pace.target, s.pace.since = awaited, now
	}
}

// judge takes a node's report into account and tells whether it may get a lease.
func (b *leaseTable) judge(id wire.NodeID, s *standing, at, now int64) bool {
	p := &s.pace
	if now < p.barred {
		if s.spoke > 0 && now-s.spoke > b.lateAfter() {
			p.barred = now + b.barFor()
		}
		return false
	}
	if p.target == 0 || at < p.target {
		return true
	}
	late := now-p.since > b.lateAfter() && b.mostHave(p.target)
	p.target = 0
	if !late {
		return true
	}
	if now-p.last > 2*int64(b.cfg.FormerLease) {
		p.times = 0
	}
	p.times, p.last = p.times+1, now
	if p.times < lateTimes || !b.mayBar(now) {
		return true
	}
	p.times, p.barred = 0, now+b.barFor()
	b.log.Warn("a node is slow and gets no lease until it keeps up: its task routes refuse, its searches are marked as stale", "node", id)
	return false
}

// mostHave tells whether most nodes, this one included, have applied everything up to a log
// time.
func (b *leaseTable) mostHave(at int64) bool {
	n := 1
	for _, s := range b.nodes {
		if s.at >= at {
			n++
		}
	}
	return 2*n > len(b.nodes)+1
}

// mayBar tells whether one more node may be without a lease, so that most nodes keep
// theirs.
func (b *leaseTable) mayBar(now int64) bool {
	barred := 1
	for _, s := range b.nodes {
		if now < s.pace.barred {
			barred++
		}
	}
	return 2*barred < len(b.nodes)+1
}

// known looks at what the leader knows of a node. It returns false for a node that is not
// known.
func (b *leaseTable) known(node wire.NodeID, look func(*standing) bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.nodes[node]
	return s != nil && look(s)
}

// Silent tells whether a node does not report to this one, which leads: the former leader
// until it has reported in this term, and any node that has missed several reports. Such
// a node may be well, so callers ask it last and wait for it a little.
func (g *Group) Silent(node wire.NodeID) bool {
	l := g.leading.Load()
	return l != nil && node != g.cfg.NodeID && l.leases.known(node, func(s *standing) bool { return l.leases.silent(node, s) })
}

func (b *leaseTable) silent(node wire.NodeID, s *standing) bool {
	if s.spoke == 0 && node == b.predecessor {
		return true
	}
	return b.now()-max(s.spoke, b.began) >= int64(b.cfg.FormerLease)/2
}

// Slow tells whether a node is known to be slow. Only the leader knows.
func (g *Group) Slow(node wire.NodeID) bool {
	l := g.leading.Load()
	return l != nil && l.leases.known(node, func(s *standing) bool { return l.leases.now() < s.pace.barred })
}

// keepingUp records since when each node has been close to the leader's log. Like every
// measure of slowness it uses fractions of FormerLease, so that shorter leases do not deny
// a vote to a node for a pause that was acceptable before.
func (b *leaseTable) keepingUp(last, maxLag uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	for _, s := range b.nodes {
		switch {
		case s.spoke == 0 || now-s.spoke >= 4*int64(b.cfg.FormerLease) || s.index+maxLag < last:
			s.kept = 0
		case s.kept == 0:
			s.kept = now
		}
	}
}
