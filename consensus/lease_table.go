package consensus

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"github.com/hashicorp/raft"

	"shoal/consensus/fsm"
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
	leaseClock
	cfg     *Config
	log     *slog.Logger
	life    *lifetime
	fsm     *fsm.FSM
	own     *ownLease
	servers func() []raft.Server // of the group
	term    uint64
	lease   int64 // how long a lease lasts
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
		leaseClock: g.leaseClock, cfg: &g.cfg, log: g.log, life: g.lifetime, fsm: g.fsm, own: &g.own, servers: g.raft.servers,
		ctx: ctx, term: term, lease: int64(g.cfg.Lease), floor: g.fsm.LastAt.Load(),
		nodes: make(map[wire.NodeID]*standing), watermark: g.own.known(),
	}
	now, longest := g.now(), b.lease
	if g.least() < ShortLeaseSince { // regardless of the log's version: an old leader grants leases by its own program
		longest = max(longest, int64(g.cfg.FormerLease))
	}
	longest += slack(longest)
	b.began = now
	if last := g.client.lastLeader.Load(); last != nil {
		b.predecessor = *last
	}
	servers := b.servers()
	b.former = newFormer(votersOf(servers), longest, g.configured.Load())
	b.former.moments[g.cfg.NodeID] = now - g.own.contact.quiet(term, now)
	for _, s := range servers {
		if id := wire.NodeID(s.ID); id != g.cfg.NodeID {
			b.nodes[id] = &standing{heard: now, until: now + longest}
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
	for _, id := range votersOf(b.servers()) {
		switch {
		case id == b.cfg.NodeID:
			moments = append(moments, b.now())
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

// current is the minimum over this node and the other leased nodes. It never decreases.
func (b *leaseTable) current() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.advance()
}

func (b *leaseTable) advance() int64 {
	lowest := b.fsm.LastAt.Load()
	now := b.now()
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
	now := b.now()
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
		b.own.prolong(b.term, proof+b.lease)
	}
	mark := b.fsm.Mark()
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

// successor is the most advanced voter among those that answer.
func (b *leaseTable) successor(servers []raft.Server) (next raft.Server, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var best *standing
	for _, server := range servers {
		s := b.nodes[wire.NodeID(server.ID)]
		if server.Suffrage != raft.Voter || s == nil || b.silent(wire.NodeID(server.ID), s) {
			continue
		}
		if best == nil || s.index > best.index {
			next, best = server, s
		}
	}
	return next, best != nil
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

// push sends the watermark to every node that has not heard it, with at most one call per
// node at a time. The caller is a goroutine or a call that Close waits for.
func (b *leaseTable) push() {
	if b.cfg.Call == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, s := range b.nodes {
		if s.pushed || s.told >= b.watermark || b.ctx.Err() != nil || b.now() >= s.until {
			continue
		}
		s.pushed = true
		b.life.begin(func() { b.pushTo(id, s) })
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
		ctx, cancel := context.WithTimeout(b.ctx, b.cfg.FormerLease/5)
		_, err := b.cfg.Call(ctx, id, &Request{Watermark: at})
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
