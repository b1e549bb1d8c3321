package lease

import "shoal/wire"

// A node that runs, but slowly, keeps its lease and makes every client wait for it: the
// end of a task is shown when all leased nodes have applied it. A node that is late again
// and again, while most others are in time, therefore gets no lease until it has kept up
// for a while. It goes on voting and keeps its copies. Meanwhile it answers like a node
// that is cut off (docs/adr/0009-a-slow-copy-is-left-behind.md). Times are parts of
// Config.FormerLength: that leases are shorter does not make a node slow.

// lateTimes is how often a node may be late before it gets no lease. Two delays count
// together when the second comes at most two leases after the first.
const lateTimes = 4

// lateAfter is how long a node may take to apply entries that clients wait for.
func (t *Table) lateAfter() int64 { return int64(t.cfg.FormerLength) / 3 }

// barFor is how long a node must report in time before it gets a lease again.
func (t *Table) barFor() int64 { return 4 * int64(t.cfg.FormerLength) }

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
func (t *Table) goneAfter() int64 {
	former := int64(t.cfg.FormerLength)
	return former + slack(former)
}

// watch starts the clock for a leased node that has not applied what clients wait for. The
// clock continues after the lease ends, because clients waited for all of it.
func (t *Table) watch(s *standing, now int64) {
	awaited := t.cfg.FSM.LastAwaited.Load()
	switch leased := now < s.until; {
	case s.pace.target != 0 && !leased && now-s.pace.since >= t.goneAfter():
		s.pace.target = 0
	case s.pace.target == 0 && leased && s.at < awaited:
		s.pace.target, s.pace.since = awaited, now
	}
}

// judge takes a node's report into account and tells whether it may get a lease.
func (t *Table) judge(id wire.NodeID, s *standing, at, now int64) bool {
	p := &s.pace
	if now < p.barred {
		if s.spoke > 0 && now-s.spoke > t.lateAfter() {
			p.barred = now + t.barFor()
		}
		return false
	}
	if p.target == 0 || at < p.target {
		return true
	}
	late := now-p.since > t.lateAfter() && t.mostHave(p.target)
	p.target = 0
	if !late {
		return true
	}
	if now-p.last > 2*int64(t.cfg.FormerLength) {
		p.times = 0
	}
	p.times, p.last = p.times+1, now
	if p.times < lateTimes || !t.mayBar(now) {
		return true
	}
	p.times, p.barred = 0, now+t.barFor()
	t.cfg.Log.Warn("a node is slow and gets no lease until it keeps up: its task routes refuse, its searches are marked as stale", "node", id)
	return false
}

// mostHave tells whether most nodes, this one included, have applied everything up to a log
// time.
func (t *Table) mostHave(at int64) bool {
	n := 1
	for _, s := range t.nodes {
		if s.at >= at {
			n++
		}
	}
	return 2*n > len(t.nodes)+1
}

// mayBar tells whether one more node may be without a lease, so that most nodes keep
// theirs.
func (t *Table) mayBar(now int64) bool {
	barred := 1
	for _, s := range t.nodes {
		if now < s.pace.barred {
			barred++
		}
	}
	return 2*barred < len(t.nodes)+1
}

// Slow tells whether a node gets no lease because it is slow.
func (t *Table) Slow(node wire.NodeID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.nodes[node]
	return s != nil && t.now() < s.pace.barred
}
