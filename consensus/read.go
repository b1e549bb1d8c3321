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

// OnCommit registers f, which gets the indexes with a new version before anything on this
// node sees them. Nothing else is applied meanwhile, so f must return soon, and must not
// ask the Group for anything that is still to come.
func (g *Group) OnCommit(f func(changed []*wire.Index)) { g.fsm.Committing.Store(&f) }

// OnMove registers f, which gets every change of the status of a task or batch from now on;
// nil removes it. Nothing else is applied meanwhile, so f must return soon and ask the
// Group for nothing. Imports of dumps and snapshots are not reported.
func (g *Group) OnMove(f func(*wire.Moves)) {
	if f == nil {
		g.fsm.Moved.Store(nil)
		return
	}
	g.fsm.Moved.Store(&f)
}

// Task returns one record. It is shared and must not be modified.
func (g *Group) Task(uid uint32) (*wire.Task, bool, error) { return g.fsm.Task(uid) }

// TaskOver tells whether a task has a result in this node's state, or had one before it was
// deleted. It is false for a task that this node has not heard of yet. A Catalog taken
// after the call shows the effects of the result.
func (g *Group) TaskOver(uid uint32) (bool, error) {
	if last, any := g.fsm.Catalog.Load().LastTask(); !any || uid > last {
		return false, nil
	}
	t, stored, err := g.fsm.Task(uid)
	return err == nil && (!stored || t.Status > wire.Processing), err
}

// Batch returns one record.
func (g *Group) Batch(uid uint32) (*wire.Batch, bool, error) { return g.fsm.Batch(uid) }

// Tasks lists tasks as spec tasks-auth-ops-api 3.2 says: newest first (oldest first with
// q.Reverse), at most q.Limit of them (negative: all) from q.From on, and the
// number of all that match the filters. Ask for one more than the page needs to
// learn "next". Tasks the caller may not see are removed after the limit.
func (g *Group) Tasks(q *wire.TaskQuery) (page []*wire.Task, total uint64, err error) {
	return g.fsm.Tasks(q)
}

// Batches lists batches like Tasks lists tasks, with the filter semantics of spec
// tasks-auth-ops-api 5.5.
func (g *Group) Batches(q *wire.TaskQuery) (page []*wire.Batch, total uint64, err error) {
	return g.fsm.Batches(q)
}

// TaskUIDs returns every matching task that the caller may see, ascending; From
// and Limit are ignored.
func (g *Group) TaskUIDs(q *wire.TaskQuery) ([]uint32, error) { return g.fsm.TaskUIDs(q) }

// Pending returns the unfinished tasks in uid order. Shared: do not modify.
func (g *Group) Pending() []*wire.Task { return g.fsm.Pending() }

// TakeNamed returns the ids of the staged payloads that are named by tasks applied here
// since the last call. It is for one caller. Payloads of tasks that were applied before the
// process started, or that came with a snapshot, are not reported.
func (g *Group) TakeNamed() []string { return g.fsm.TakeNamed() }

// Lags returns how many entries of the log each other member had not yet applied when it
// last reported, at most a second ago unless it is away. Members that have not reported are
// missing. ok is false on a node that does not lead.
func (g *Group) Lags() (lags map[wire.NodeID]uint64, ok bool) {
	l := g.leading.Load()
	if l == nil {
		return nil, false
	}
	return l.leases.lags(g.Catalog().Applied()), true
}

// Changed returns a channel that is closed at the next applied entry, at the next change of
// the watermark, and when the result of Leading changes.
func (g *Group) Changed() <-chan struct{} { return g.fsm.applied.Next() }

// LeadershipChanged returns a channel that is closed when this node gains or
// loses leadership or learns of another leader.
func (g *Group) LeadershipChanged() <-chan struct{} { return g.leadChange.Next() }

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
	index, err := g.barriers.join(ctx, g)
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
	read func(context.Context) (uint64, error)

	mu      sync.Mutex
	waiting *round
	running bool
}

type round struct {
	done  chan struct{}
	index uint64
	err   error
}

func (b *barriers) join(ctx context.Context, g *Group) (uint64, error) {
	b.mu.Lock()
	if b.waiting == nil {
		b.waiting = &round{done: make(chan struct{})}
	}
	r := b.waiting
	if !b.running {
		b.running = true
		g.begin(func() { b.run(g) })
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
func (b *barriers) run(g *Group) {
	for {
		b.mu.Lock()
		r := b.waiting
		b.waiting = nil
		b.running = r != nil
		b.mu.Unlock()
		if r == nil {
			return
		}
		ctx, cancel := g.patience(g.ctx)
		r.index, r.err = b.read(ctx)
		cancel()
		close(r.done)
	}
}

// readIndex returns the entry that a reader must have applied. It retries while the
// leadership changes.
func (g *Group) readIndex(ctx context.Context) (index uint64, err error) {
	err = g.persist(ctx, func() (err error) {
		index, err = g.askIndex(ctx)
		return err
	})
	return index, err
}

func (g *Group) askIndex(ctx context.Context) (uint64, error) {
	if g.raft.State() == raft.Leader {
		return g.leaderIndex(ctx)
	}
	reply, err := g.callLeader(ctx, &Request{ReadIndex: true})
	if err != nil {
		return 0, err
	}
	g.learn(reply.Watermark)
	return reply.Index, nil
}

// leaderIndex is the read index: the newest committed entry of the state machine, according
// to a node that proves that it still leads. A new leader first applies what its
// predecessors committed.
func (g *Group) leaderIndex(ctx context.Context) (uint64, error) {
	for {
		change := g.leadChange.Next()
		if _, ok := g.Leading(); ok {
			break
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
	commit := g.raft.CommitIndex()
	if err := g.verify(ctx); err != nil {
		return 0, err
	}
	return raftlog.LastCommand(g.cache, commit, g.fsm.Catalog.Load().Applied())
}

// verify proves leadership by a round of heartbeats, unless there is a recent proof or no
// other node could lead.
func (g *Group) verify(ctx context.Context) error {
	now, last, l := g.now(), g.verified.Load(), g.leading.Load()
	if fresh := last != 0 && now-last < int64(verifiedFor) && l != nil && !l.leaving.Load(); fresh || g.soleVoter() {
		return nil
	}
	if err := g.prove(ctx); err != nil {
		return err
	}
	g.verified.Store(now)
	return nil
}

// proofRounds bounds the rounds of one proof. Messages that were under way when it began are
// answered in the first round, or fail.
const proofRounds = 4

// prove asks the other voters whether this node still leads. Raft also counts an answer that it
// gets now to a message that it sent before, which may come from a voter that has since voted
// for another leader. So rounds are asked for until a majority has answered what was sent after
// the proof began.
func (g *Group) prove(ctx context.Context) error {
	term, begun := g.raft.CurrentTerm(), time.Now()
	for range proofRounds {
		if err := g.await(ctx, func() raft.Future { return g.lull.Proving(g.raft.VerifyLeader) }); err != nil {
			return err
		}
		if g.supported(term, begun) {
			return nil
		}
	}
	return wire.ErrNoLeader
}

// supported tells whether this node and the voters that have answered messages of a term, sent
// at a moment or later, are a majority.
func (g *Group) supported(term uint64, since time.Time) bool {
	voters, support := g.voters(), 0
	for _, id := range voters {
		if id == raft.ServerID(g.cfg.NodeID) || g.lull.Answered(id, term, since) {
			support++
		}
	}
	return support > len(voters)/2
}

// Leading tells whether this node leads, and in which term. It is true only after
// every entry of earlier terms has been applied here.
func (g *Group) Leading() (term uint64, ok bool) {
	l := g.leading.Load()
	if l == nil || g.raft.State() != raft.Leader {
		return 0, false
	}
	return l.term, true
}

// Lease tells whether this node may answer for tasks. If not, it returns for how many
// seconds its state may have been out of date. What is read after it returned true is as
// new as anything that a client was shown before the call.
func (g *Group) Lease() (fresh bool, staleSeconds int) {
	if _, ok := g.Leading(); ok && g.soleVoter() {
		return true, 0
	}
	now, until := g.now(), g.leaseUntil.Load()
	if now < until {
		return true, 0
	}
	good := max(until-int64(g.cfg.Lease), 0)
	return false, int((now - good) / int64(time.Second))
}

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
