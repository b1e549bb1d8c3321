package consensus

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/raft"

	"shoal/wire"
)

// The watermark. A task shows as finished only when every node that answers for tasks has
// applied its end (architecture 4). Otherwise a client could read "succeeded" here and the
// old state there. A change without a task (keys, features, webhooks ...) is answered only
// then, too. Other writes never wait for it: nodes report the log time up to which they
// have applied, and the leader tells them the minimum. It is soft state, so a lost message
// only delays an answer.
//
// A node answers for tasks while it holds a lease. The leader grants one for a report that
// has reached the watermark. No lease, the leader's own included, lasts longer than
// Config.Lease after a moment at which a majority of the voters was still in the leader's
// term. Each reply has the leader's clock, and each report repeats it together with the
// term of the reporting node, so the leader learns when each voter had not yet voted for a
// successor. That a node believes it leads proves nothing; it may have been frozen. A new
// leader at first counts every member as leased for a tenth longer than a lease lasts, or
// less if it learns that former leases ended earlier (former.go). By then every node with a
// lease from its predecessor has stopped answering.
//
// Programs before ShortLeaseSince grant longer leases. This one grants only short ones, and
// keeps none longer, whoever granted it. A long lease exists only where an older leader
// granted it to an older node. While such a node is in the cluster, a new leader reckons
// with the longer lease.

// ShortLeaseSince is the first wire.Version whose programs grant and keep leases of
// Config.Lease.
const ShortLeaseSince = 8

// leaseTable is the leader's list of leased nodes, for one term. Times are nanoseconds
// since the group was opened, except log times.
type leaseTable struct {
	g       *Group
	servers func() []raft.Server // of the group
	term    uint64
	lease   int64 // how long a lease lasts
	raised  int   // the version of the log that this term has asked for; guarded by Group.changes
	floor   int64 // log time of what earlier terms may have shown; leased nodes have applied it

	mu          sync.Mutex
	nodes       map[wire.NodeID]*standing // others than this node
	watermark   int64
	former      former
	began       int64           // when the term did
	predecessor wire.NodeID     // the former leader, if that was another node
	ctx         context.Context // of the term
}

// standing is the leader's knowledge of one node.
type standing struct {
	at        int64  // log time it has applied; 0 = not reported in this term
	until     int64  // the end of its lease, with some slack
	given     int64  // the same for leases that this term has granted
	heard     int64  // when its lease was last renewed, or the term began
	echo      int64  // a moment at which it was in this term, 0 = unknown
	told      int64  // the watermark that was sent to it
	pushed    bool   // a push is under way
	carriedAt int64  // when a heartbeat last carried something to it, 0 = never
	carried   Reply  // what the next one carries: the answer to its report
	spoken    int64  // when that was given
	index     uint64 // raft index it has applied
	spoke     int64  // when it reported last, 0 = not in this term
	kept      int64  // since when it has been keeping up (see membership), 0 = it does not
	pace      pace
}

func (g *Group) newLeaseTable(ctx context.Context, term uint64) *leaseTable {
	b := &leaseTable{
		g: g, servers: g.servers, ctx: ctx, term: term, lease: int64(g.cfg.Lease), floor: g.fsm.LastAt.Load(),
		nodes: make(map[wire.NodeID]*standing), watermark: g.known(),
	}
	now, former := g.now(), b.lease
	if g.least() < ShortLeaseSince { // regardless of the log's version: an old leader grants leases by its own program
		former = max(former, int64(g.cfg.FormerLease))
	}
	b.began = now
	if last := g.lastLeader.Load(); last != nil {
		b.predecessor = *last
	}
	b.former = g.formerLeases(b.servers(), term, former+slack(former), now)
	for _, s := range g.servers() {
		if id := wire.NodeID(s.ID); id != g.cfg.NodeID {
			b.nodes[id] = &standing{heard: now, until: now + former + slack(former)}
		}
	}
	return b
}

// slack is the assumed difference between the clocks of two nodes over one lease.
func slack(lease int64) int64 { return lease / 10 }

// proof is the newest moment at which a majority of the voters, this node included, is
// known to have been in this term; 0 if there is none.
func (b *leaseTable) proof() int64 {
	var moments []int64
	for _, s := range b.servers() {
		if s.Suffrage != raft.Voter {
			continue
		}
		switch id := wire.NodeID(s.ID); {
		case id == b.g.cfg.NodeID:
			moments = append(moments, b.g.now())
		case b.nodes[id] == nil:
			moments = append(moments, 0)
		default:
			moments = append(moments, b.nodes[id].echo)
		}
	}
	slices.Sort(moments)
	if len(moments) == 0 {
		return 0
	}
	return moments[(len(moments)-1)/2]
}

// known is the newest watermark this node has heard, from a leader or an entry.
func (g *Group) known() int64 { return max(g.seen.Load(), g.fsm.Visible.Load()) }

// watermark is the log time up to which ends of tasks may be shown.
func (g *Group) watermark() int64 {
	if l := g.leading.Load(); l != nil {
		return l.leases.current()
	}
	return g.known()
}

// learn records a leader's watermark.
func (g *Group) learn(at int64) {
	for {
		old := g.seen.Load()
		if at <= old {
			return
		}
		if g.seen.CompareAndSwap(old, at) {
			g.fsm.applied.Fire()
			return
		}
	}
}

// current is the minimum over this node and the other leased nodes. It never decreases.
func (b *leaseTable) current() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.advance()
}

func (b *leaseTable) advance() int64 {
	lowest := b.g.fsm.LastAt.Load()
	now := b.g.now()
	for _, s := range b.nodes {
		if now < s.until {
			lowest = min(lowest, s.at)
		}
		b.watch(s, now)
	}
	if lowest > b.watermark {
		b.watermark = lowest
		b.observe(now)
	}
	return b.watermark
}

// lags is how many entries each node that has reported in this term is behind.
func (b *leaseTable) lags(applied uint64) map[wire.NodeID]uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := make(map[wire.NodeID]uint64, len(b.nodes))
	for id, s := range b.nodes {
		if s.spoke > 0 {
			out[id] = applied - min(applied, s.index)
		}
	}
	return out
}

// report takes one node's report. The node gets a lease if it has applied everything up
// to the watermark and everything that earlier terms have shown. Otherwise it has to
// catch up first, and clients wait for it only as long as it may still hold a lease: of
// this term, if another report has overtaken this one, or of the term before.
func (b *leaseTable) report(r *Report) *Reply {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.g.now()
	s := b.nodes[r.Node]
	if s == nil {
		s = new(standing)
	}
	b.nodes[r.Node] = s
	told := s.told
	fit := b.judge(r.Node, s, r.At, now)
	s.index, s.spoke = r.Index, now
	if r.Term == b.term && r.Echo <= now {
		s.echo = max(s.echo, r.Echo)
	}
	if r.Term == b.term {
		b.endFormer(r.Node, r.Quiet, now)
	}
	proof := b.proof()
	if proof > 0 {
		b.g.prolong(b.term, proof+b.lease)
	}
	mark := b.g.fsm.Mark()
	reply := &Reply{Clock: now, Term: b.term, Barred: !fit, Applied: mark.Index, Hash: mark.Hash}
	s.at = max(s.at, r.At)
	// A node that was started again may have applied less than it had. The watermark rises to
	// what it had, so it gets no lease before it has applied that again.
	if left := proof + b.lease - now; r.At >= max(b.watermark, b.floor, s.at) {
		if proof > 0 && left > 0 && fit {
			reply.Leased, reply.Left = true, left
			s.given = max(s.given, proof+b.lease+slack(b.lease))
			s.heard, s.until = now, max(s.until, s.given)
		}
		b.advance()
		s.told = b.watermark
	}
	reply.Watermark = b.watermark
	if r.Carried != 0 {
		s.keep(reply, r.Carried, told, now)
	}
	return reply
}

// endFormer shortens the time for which nodes count as leased by former terms, once
// enough voters have said for how long they have not heard from those leaders.
func (b *leaseTable) endFormer(node wire.NodeID, quiet, now int64) {
	until, ok := b.former.learn(node, quiet, now)
	if !ok {
		return
	}
	for _, s := range b.nodes {
		s.until = min(s.until, max(until, s.given))
	}
}

// takeReport answers a node's report.
func (g *Group) takeReport(r *Report) (*Reply, error) {
	l := g.leading.Load()
	if l == nil || g.raft.State() != raft.Leader {
		return nil, wire.ErrNotLeader
	}
	member := false
	for _, s := range g.servers() {
		member = member || wire.NodeID(s.ID) == r.Node
	}
	if !member {
		return &Reply{Watermark: l.leases.current(), Wall: g.cfg.Clock.Now().UnixNano()}, nil
	}
	g.compare(r, l.term)
	if r.Index < g.raft.CommitIndex() {
		g.lull.Lacks(raft.ServerID(r.Node))
	}
	before := g.seen.Load()
	reply := l.leases.report(r)
	reply.Wall = g.cfg.Clock.Now().UnixNano()
	if reply.Watermark > before {
		g.learn(reply.Watermark)
		l.leases.push()
	}
	return reply, nil
}

// prolong extends the lease of this node, granted by the leader of a term. Its end never
// moves back.
func (g *Group) prolong(term uint64, until int64) {
	for {
		old := g.leaseUntil.Load()
		if until <= old {
			return
		}
		if g.leaseUntil.CompareAndSwap(old, until) {
			break
		}
	}
	if o := g.cfg.Observer; o != nil {
		o.Leased(term, g.opened+time.Duration(until))
	}
}

// spread keeps distributing the watermark while ctx lasts: after each applied entry that
// clients wait for, and when a lease runs out.
func (l *leadership) spread(ctx context.Context) {
	l.g.begin(func() {
		tick := time.NewTimer(l.g.cfg.Lease / 10)
		defer tick.Stop()
		for {
			change := l.g.fsm.applied.Next()
			if at := l.leases.current(); at > l.g.seen.Load() && l.g.seen.Load() < l.g.fsm.LastAwaited.Load() {
				l.g.learn(at)
				l.leases.push()
			}
			// There is nothing to distribute unless clients wait for something.
			late := tick.C
			if l.g.seen.Load() < l.g.fsm.LastAwaited.Load() {
				tick.Reset(l.g.cfg.Lease / 10)
			} else {
				late = nil
			}
			select {
			case <-ctx.Done():
				return
			case <-change:
			case <-late:
			}
		}
	})
}

// push sends the watermark to every node that has not heard it, with at most one call per
// node at a time. The caller is a goroutine or a call that Close waits for.
func (b *leaseTable) push() {
	if b.g.cfg.Call == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, s := range b.nodes {
		if s.pushed || s.told >= b.watermark || b.ctx.Err() != nil || b.g.now() >= s.until {
			continue
		}
		s.pushed = true
		b.g.begin(func() { b.pushTo(id, s) })
	}
}

func (b *leaseTable) pushTo(id wire.NodeID, s *standing) {
	for {
		b.mu.Lock()
		at := b.watermark
		if s.told >= at || b.ctx.Err() != nil {
			s.pushed = false
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		ctx, cancel := context.WithTimeout(b.ctx, b.g.cfg.FormerLease/5)
		_, err := b.g.cfg.Call(ctx, id, &Request{Watermark: at})
		cancel()
		b.mu.Lock()
		if err == nil {
			s.told = max(s.told, at)
		}
		s.pushed = s.pushed && err == nil // the node's next report repeats the watermark
		stop := !s.pushed
		b.mu.Unlock()
		if stop {
			return
		}
	}
}

// report keeps the leader informed of this node's progress: immediately when it has applied
// what clients wait for, otherwise often enough to keep the lease, unless heartbeats carry
// its reports.
func (g *Group) report() {
	due := time.NewTimer(0)
	defer due.Stop()
	reported := int64(0)
	every := g.reportEvery()
	for {
		g.carried.leased.Store(0) // a former leader's grant does not extend a lease of the next one
		applied, lead := g.fsm.applied.Next(), g.leadChange.Next()
		wait := every
		if g.raft.State() == raft.Leader {
			wait = 10 * every // it is woken when it stops leading
		} else {
			at := g.fsm.LastAt.Load()
			switch err := g.reportOnce(at); {
			case err == nil:
				reported = at
			case errors.Is(err, wire.ErrBehind):
				wait = min(every, retryEvery)
			default:
				wait = min(every, 4*retryEvery)
			}
		}
		due.Reset(wait)
		for idle := true; idle; {
			select {
			case <-g.ctx.Done():
				return
			case <-lead:
				idle = false
			case <-due.C:
				if wait = g.spared(); wait > 0 {
					due.Reset(wait)
				} else {
					idle = false
				}
			case <-applied:
				applied = g.fsm.applied.Next()
				idle = g.fsm.LastAwaited.Load() <= reported
			}
		}
	}
}

// newReport makes a report of this node as of now. It has applied everything up to the log
// time at.
func (g *Group) newReport(at, now int64) *Report {
	g.carried.mu.Lock()
	heard := g.carried.heard
	g.carried.mu.Unlock()
	// Read the term after receiving the answer that the report repeats.
	mark := g.fsm.Mark() // read before the term: it was reached in this term or an earlier one
	r := &Report{Node: g.cfg.NodeID, At: at, Index: g.raft.AppliedIndex(), Applied: mark.Index, Hash: mark.Hash}
	r.Term = g.raft.CurrentTerm()
	if heard.Term == r.Term {
		r.Echo = heard.Clock
	}
	if g.leading.Load() == nil { // otherwise its term is just ending
		r.Quiet = g.contact.quiet(r.Term, now)
	}
	return r
}

// reportOnce reports and takes the granted lease. It returns the errors of take and of the
// call.
func (g *Group) reportOnce(at int64) error {
	sent := g.now()
	ctx, cancel := context.WithTimeout(g.ctx, g.cfg.FormerLease/5)
	defer cancel()
	reply, err := g.callLeader(ctx, &Request{Report: g.newReport(at, sent)})
	if err != nil {
		return err
	}
	g.contact.hear(reply.Term, g.now())
	g.carried.hear(reply)
	g.hear(reply, sent)
	return g.take(reply, sent)
}

// take handles the answer to a report that was sent at a moment. It returns ErrBehind if
// there is no lease yet because this node has to catch up or the leader still lacks a
// proof. It returns nil without a lease if this node is too slow for one (see laggards.go).
func (g *Group) take(reply *Reply, sent int64) error {
	if err := g.recognise(reply); err != nil {
		return err
	}
	g.learn(reply.Watermark)
	if reply.Leased {
		g.prolong(reply.Term, sent+min(reply.Left, int64(g.cfg.Lease)))
		return nil
	}
	if reply.Barred {
		return nil // it reports as often as a node with a lease, not more often
	}
	return wire.ErrBehind
}
