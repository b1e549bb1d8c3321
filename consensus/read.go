package consensus

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/raft"

	"shoal/consensus/raftlog"
	"shoal/consensus/state"
	"shoal/wire"
)

// verifiedFor is how long a proof of leadership is valid: far less than it takes to elect
// another node, unless this one asks it to lead.
const verifiedFor = 5 * time.Millisecond

// Catalog returns the newest applied catalogue: immutable, never nil, no lock.
func (g *Group) Catalog() *state.Catalog { return g.fsm.Catalog.Load() }

// Lags returns how many entries of the log each other member had not yet applied when it
// last reported, at most a second ago unless it is away. Members that have not reported are
// missing. ok is false on a node that does not lead.
func (g *Group) Lags() (lags map[wire.NodeID]uint64, ok bool) {
	l := g.leading.Load()
	if l == nil {
		return nil, false
	}
	return l.leases.Lags(g.Catalog().Applied()), true
}

// Silent tells whether a node does not report to this one, which leads: the former leader
// until it has reported in this term, and any node that has missed several reports. Such
// a node may be well, so callers ask it last and wait for it a little.
func (g *Group) Silent(node wire.NodeID) bool {
	l := g.leading.Load()
	return l != nil && node != g.cfg.NodeID && l.leases.Silent(node)
}

// Slow tells whether a node is known to be slow. Only the leader knows.
func (g *Group) Slow(node wire.NodeID) bool {
	l := g.leading.Load()
	return l != nil && l.leases.Slow(node)
}

// Changed returns a channel that is closed at the next applied entry, at the next change of
// the watermark, and when the result of Leading changes.
func (g *Group) Changed() <-chan struct{} { return g.fsm.Applied.Next() }

// LeadershipChanged returns a channel that is closed when this node gains or
// loses leadership or learns of another leader.
func (g *Group) LeadershipChanged() <-chan struct{} { return g.client.leadChange.Next() }

// Barrier waits until this node has applied everything that was committed when it was
// called. After it, Visible is true for each end that the leader let any node show before the
// call. Concurrent callers share one request to the leader. Errors: wire.ErrNoLeader,
// wire.ErrClosed, those of ctx.
func (g *Group) Barrier(ctx context.Context) error {
	if !g.enter() {
		return wire.ErrClosed
	}
	defer g.work.Done()
	caller := ctx
	ctx, cancel := context.WithTimeout(ctx, g.cfg.ProposeTimeout)
	defer cancel()
	index, err := g.barriers.join(ctx)
	if err == nil {
		err = g.awaitApplied(ctx, index)
	}
	switch {
	case err == nil, errors.Is(err, wire.ErrNoLeader), errors.Is(err, wire.ErrClosed):
		return err
	case caller.Err() != nil:
		return caller.Err()
	}
	return errors.Join(wire.ErrNoLeader, err)
}

// barriers groups callers into rounds. A caller that arrives during a request waits for the
// next one, because the answer to the current one may be older than its call.
type barriers struct {
	life   *lifetime
	client *client
	read   func(context.Context) (uint64, error)

	mu      sync.Mutex
	waiting *round
	running bool
}

type round struct {
	done  chan struct{}
	index uint64
	err   error
}

func (b *barriers) join(ctx context.Context) (uint64, error) {
	b.mu.Lock()
	if b.waiting == nil {
		b.waiting = &round{done: make(chan struct{})}
	}
	r := b.waiting
	if !b.running {
		b.running = true
		b.life.begin(b.run)
	}
	b.mu.Unlock()
	select {
	case <-r.done:
		return r.index, r.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// run sends requests until nobody waits.
func (b *barriers) run() {
	for {
		b.mu.Lock()
		r := b.waiting
		b.waiting = nil
		b.running = r != nil
		b.mu.Unlock()
		if r == nil {
			return
		}
		ctx, cancel := b.client.patience(b.life.ctx)
		r.err = b.client.persist(ctx, func() (err error) {
			r.index, err = b.read(ctx)
			return err
		})
		cancel()
		close(r.done)
	}
}

// askIndex returns the entry that a reader must have applied, here or from the leader.
func (g *Group) askIndex(ctx context.Context) (uint64, error) {
	if g.raft.State() == raft.Leader {
		return g.leaderIndex(ctx)
	}
	reply, err := g.client.call(ctx, &Request{ReadIndex: true})
	if err != nil {
		return 0, err
	}
	g.own.Learn(reply.Watermark)
	return reply.Index, nil
}

// leaderIndex is the read index of this node, which leads. A new leader first applies what
// its predecessors committed.
func (g *Group) leaderIndex(ctx context.Context) (uint64, error) {
	for {
		change := g.client.leadChange.Next()
		if l, ok := g.leads(); ok {
			return l.readIndex(ctx)
		}
		if g.raft.State() != raft.Leader {
			return 0, wire.ErrNotLeader
		}
		select {
		case <-change:
		case <-ctx.Done():
			return 0, wire.ErrNoLeader
		case <-g.ctx.Done():
			return 0, wire.ErrClosed
		}
	}
}

// readIndex is the newest committed entry of the state machine, according to a node that
// proves that it still leads.
func (l *leadership) readIndex(ctx context.Context) (uint64, error) {
	commit := l.g.raft.CommitIndex()
	if err := l.verify(ctx); err != nil {
		return 0, err
	}
	return raftlog.LastCommand(l.g.cache, commit, l.g.Catalog().Applied())
}

// verify proves leadership by a round of heartbeats, unless there is a recent proof or no
// other node could lead.
func (l *leadership) verify(ctx context.Context) error {
	now, last := l.g.ticks.Now(), l.verified.Load()
	if fresh := last != 0 && now-last < int64(verifiedFor) && !l.leaving.Load(); fresh || l.g.raft.soleVoter() {
		return nil
	}
	if err := l.prove(ctx); err != nil {
		return err
	}
	l.verified.Store(now)
	return nil
}

// proofRounds bounds the rounds of one proof. Messages that were under way when it began are
// answered in the first round, or fail.
const proofRounds = 4

// prove asks the other voters whether this node still leads. Raft also counts an answer that it
// gets now to a message that it sent before, which may come from a voter that has since voted
// for another leader. So rounds are asked for until a majority has answered what was sent after
// the proof began.
func (l *leadership) prove(ctx context.Context) error {
	begun := time.Now()
	for range proofRounds {
		if err := l.g.raft.await(ctx, func() raft.Future { return l.g.lull.Proving(l.g.raft.VerifyLeader) }); err != nil {
			return err
		}
		if l.supported(begun) {
			return nil
		}
	}
	return wire.ErrNoLeader
}

// supported tells whether this node and the voters that have answered messages of this term,
// sent at a moment or later, are a majority.
func (l *leadership) supported(since time.Time) bool {
	voters, support := raftlog.VotersOf(l.g.raft.servers()), 0
	for _, id := range voters {
		if id == l.g.cfg.NodeID || l.g.lull.Answered(raft.ServerID(id), l.term, since) {
			support++
		}
	}
	return support > len(voters)/2
}

// watermark is the log time up to which ends of tasks may be shown.
func (g *Group) watermark() int64 {
	if l := g.leading.Load(); l != nil {
		return l.leases.Current()
	}
	return g.own.Known()
}

// Lease tells whether this node may answer for tasks. If not, it returns for how many
// seconds its state may have been out of date. What is read after it returned true is as
// new as anything that a client was shown before the call.
func (g *Group) Lease() (fresh bool, staleSeconds int) {
	if _, ok := g.Leading(); ok && g.raft.soleVoter() {
		return true, 0
	}
	now, until := g.ticks.Now(), g.own.Until()
	switch {
	case now < until:
		return true, 0
	case until == 0:
		return false, int(max(now, g.downtime()) / int64(time.Second))
	}
	return false, int((now - max(until-int64(g.cfg.Lease), 0)) / int64(time.Second))
}

// downtime is the age of the newest applied entry by this machine's clock. A node that has
// had no lease since its start was up to date when that entry was written, and does not
// know whether it was later. A leader writes an entry at least every ten minutes.
func (g *Group) downtime() int64 { return g.cfg.Clock.Now().UnixNano() - g.fsm.LastAt.Load() }

// Settled returns a function that tells whether the ends of all tasks that this node knows now may
// be shown.
func (g *Group) Settled() func() bool {
	at := g.fsm.LastAwaited.Load()
	return func() bool { return at <= g.watermark() }
}

// Visible tells whether the end of a task may be shown: every node that answers for tasks
// has applied it. For an unfinished task it is true.
func (g *Group) Visible(uid uint32) bool {
	at := g.fsm.FinishedAt(uid)
	return at == 0 || at <= g.watermark()
}
