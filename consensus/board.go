package consensus

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/raft"

	"shoal/wire"
)

// The watermark. A task shows as finished only when every node that answers for
// tasks has applied its end (architecture 4); else a client could read "succeeded"
// here and the old state there. A change that a client makes without a task (keys,
// features, webhooks ...) is answered only then. Nothing of it is in the way of
// other writes: nodes report the log time of what they have applied, the leader
// tells them the minimum. It is soft state: a lost message delays an answer and
// nothing more.
//
// A node answers for tasks while it holds a lease, and the leader grants one for a
// report that has reached the watermark. The node counts the lease from when it
// sent the report, the leader, a fifth longer, from when it got it; so a node that
// the leader no longer waits for has stopped answering. A new leader cannot know
// whom its predecessor leased: it counts every member at first.

// board is the leader's list of leased nodes, for one reign.
type board struct {
	g      *Group
	expiry int64 // nanoseconds

	mu        sync.Mutex
	nodes     map[wire.NodeID]*standing // others than this node
	watermark int64
	ctx       context.Context // of the reign
}

// standing is what the leader knows of one node.
type standing struct {
	at     int64  // log time it has applied; 0 = not reported in this reign
	heard  int64  // when its lease was renewed, nanoseconds since the group was opened
	told   int64  // watermark it was told
	pushed bool   // a push is under way
	index  uint64 // raft index it has applied
	spoke  int64  // when it reported last, 0 = not in this reign
	kept   int64  // since when it has been keeping up (see membership), 0 = it does not
}

func (g *Group) newBoard(ctx context.Context) *board {
	b := &board{
		g: g, ctx: ctx, expiry: int64(g.cfg.Lease) + int64(g.cfg.Lease)/5,
		nodes: make(map[wire.NodeID]*standing), watermark: g.known(),
	}
	for _, s := range g.servers() {
		if id := wire.NodeID(s.ID); id != g.cfg.NodeID {
			b.nodes[id] = &standing{heard: g.now()}
		}
	}
	return b
}

// known is the newest watermark this node has been told, by a leader or an entry.
func (g *Group) known() int64 { return max(g.seen.Load(), g.fsm.visible.Load()) }

// watermark is the log time up to which ends of tasks may be shown.
func (g *Group) watermark() int64 {
	if l := g.leading.Load(); l != nil {
		return l.board.current()
	}
	return g.known()
}

// learn takes a watermark that a leader told.
func (g *Group) learn(at int64) {
	for {
		old := g.seen.Load()
		if at <= old {
			return
		}
		if g.seen.CompareAndSwap(old, at) {
			g.fsm.applied.fire()
			return
		}
	}
}

// current is the minimum over this node and the leased others; it never goes back.
func (b *board) current() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.advance()
}

func (b *board) advance() int64 {
	lowest := b.g.fsm.lastAt.Load()
	now := b.g.now()
	for _, s := range b.nodes {
		if now-s.heard < b.expiry {
			lowest = min(lowest, s.at)
		}
	}
	b.watermark = max(b.watermark, lowest)
	return b.watermark
}

// report takes one node's report. The node is leased when it has reached the
// watermark; otherwise it has to catch up first and is not waited for.
func (b *board) report(r *Report) (watermark int64, leased bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.nodes[r.Node]
	if s == nil {
		s = new(standing)
	}
	s.index, s.spoke = r.Index, b.g.now()
	if r.At < b.watermark {
		s.heard = b.g.now() - b.expiry // known, not waited for
		s.at = r.At
		b.nodes[r.Node] = s
		return b.watermark, false
	}
	s.at, s.heard = max(s.at, r.At), b.g.now()
	b.nodes[r.Node] = s
	b.advance()
	s.told = b.watermark
	return b.watermark, true
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
		return &Reply{Watermark: l.board.current()}, nil
	}
	before := g.seen.Load()
	watermark, leased := l.board.report(r)
	if watermark > before {
		g.learn(watermark)
		l.board.push()
	}
	return &Reply{Leased: leased, Watermark: watermark}, nil
}

// spread keeps telling the watermark while ctx lasts: after each applied entry
// that clients wait for, and when a lease runs out.
func (g *Group) spread(ctx context.Context, b *board) {
	g.begin(func() {
		tick := time.NewTicker(g.cfg.Lease / 10)
		defer tick.Stop()
		for {
			change := g.fsm.applied.next()
			if at := b.current(); at > g.seen.Load() && g.seen.Load() < g.fsm.lastAwaited.Load() {
				g.learn(at)
				b.push()
			}
			select {
			case <-ctx.Done():
				return
			case <-change:
			case <-tick.C:
			}
		}
	})
}

// push tells the watermark to every node that has not heard it, one call at a
// time per node. The caller is a goroutine or a call that Close waits for.
func (b *board) push() {
	if b.g.cfg.Call == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, s := range b.nodes {
		if s.pushed || s.told >= b.watermark || b.ctx.Err() != nil || b.g.now()-s.heard >= b.expiry {
			continue
		}
		s.pushed = true
		b.g.begin(func() { b.pushTo(id, s) })
	}
}

func (b *board) pushTo(id wire.NodeID, s *standing) {
	for {
		b.mu.Lock()
		at := b.watermark
		if s.told >= at || b.ctx.Err() != nil {
			s.pushed = false
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		ctx, cancel := context.WithTimeout(b.ctx, b.g.cfg.Lease/5)
		_, err := b.g.cfg.Call(ctx, id, &Request{Watermark: at})
		cancel()
		b.mu.Lock()
		if err == nil {
			s.told = max(s.told, at)
		}
		s.pushed = s.pushed && err == nil // the node's next report tells it again
		stop := !s.pushed
		b.mu.Unlock()
		if stop {
			return
		}
	}
}

// report keeps the leader informed of this node's progress, at once when it has
// applied what clients wait for and otherwise often enough to keep the lease.
func (g *Group) report() {
	reported := int64(0)
	every := g.cfg.Lease / 5
	for {
		applied, lead := g.fsm.applied.next(), g.leadChange.next()
		wait := every
		if g.raft.State() != raft.Leader {
			at := g.fsm.lastAt.Load()
			if err := g.reportOnce(at); err == nil {
				reported = at
			} else {
				wait = min(every, 4*retryEvery)
			}
		}
		timer := time.NewTimer(wait)
		for idle := true; idle; {
			select {
			case <-g.ctx.Done():
				timer.Stop()
				return
			case <-lead:
				idle = false
			case <-timer.C:
				idle = false
			case <-applied:
				applied = g.fsm.applied.next()
				idle = g.fsm.lastAwaited.Load() <= reported
			}
		}
		timer.Stop()
	}
}

func (g *Group) reportOnce(at int64) error {
	sent := g.now()
	ctx, cancel := context.WithTimeout(g.ctx, g.cfg.Lease/5)
	defer cancel()
	reply, err := g.callLeader(ctx, &Request{Report: &Report{Node: g.cfg.NodeID, At: at, Index: g.raft.AppliedIndex()}})
	if err != nil {
		return err
	}
	g.learn(reply.Watermark)
	if reply.Leased {
		g.leaseUntil.Store(max(g.leaseUntil.Load(), sent+int64(g.cfg.Lease)))
		return nil
	}
	return wire.ErrBehind
}
