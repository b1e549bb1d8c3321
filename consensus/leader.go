package consensus

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/raft"

	"shoal/consensus/lease"
	"shoal/wire"
)

// leadership is one term of this node as the leader. All of it is dropped when the term
// ends, so that nothing stale survives.
type leadership struct {
	g        *Group
	term     uint64
	leases   *lease.Table
	members  *membership
	verified atomic.Int64 // last proof of leadership, nanoseconds since opened
	// leaving: another node was asked to lead, and may do so at any moment.
	leaving atomic.Bool
}

// leads returns the term in which this node leads. It returns false unless raft still believes
// that.
func (g *Group) leads() (*leadership, bool) {
	l := g.leading.Load()
	return l, l != nil && g.raft.State() == raft.Leader
}

// Leading tells whether this node leads, and in which term. It is true only after
// every entry of earlier terms has been applied here.
func (g *Group) Leading() (term uint64, ok bool) {
	l, ok := g.leads()
	if !ok {
		return 0, false
	}
	return l.term, true
}

// follow watches for leadership, on this node and elsewhere, and runs the duties
// of a leader while this node is one.
func (g *Group) follow() {
	elsewhere := make(chan raft.Observation, 16)
	observer := raft.NewObserver(elsewhere, false, func(o *raft.Observation) bool {
		_, ok := o.Data.(raft.LeaderObservation)
		return ok
	})
	g.raft.RegisterObserver(observer)
	defer g.raft.DeregisterObserver(observer)
	g.client.followed() // the leader known before observation began
	end := func() {}
	defer func() { end() }()
	for {
		select {
		case <-g.ctx.Done():
			return
		case <-elsewhere:
			g.client.followed()
		case leads := <-g.notify:
			if !leads {
				g.lull.SteppedDown()
			}
			end()
			end = func() {}
			if leads {
				end = g.serveTerm()
			}
			g.client.followed()
		}
	}
}

// serveTerm starts the duties of a leader. The returned function ends them and waits.
func (g *Group) serveTerm() (end func()) {
	ctx, cancel := context.WithCancel(g.ctx)
	done := make(chan struct{})
	g.begin(func() {
		defer close(done)
		g.lead(ctx)
	})
	return func() {
		cancel()
		<-done
	}
}

// lead is the work of one term. First everything of earlier terms is applied, then the node
// leads.
func (g *Group) lead(ctx context.Context) {
	term := g.raft.CurrentTerm()
	leads := func() bool { return ctx.Err() == nil && g.raft.leads(term) }
	for err := wire.ErrNoLeader; err != nil; {
		if !leads() {
			return
		}
		if err = g.raft.await(ctx, func() raft.Future { return g.raft.Barrier(0) }); err != nil {
			g.log.Debug("the first barrier of the term failed", "term", term, "error", err)
			time.Sleep(time.Millisecond) // raft is about to say why
		}
	}
	if !leads() {
		return
	}
	l := g.newLeadership(ctx, term)
	g.leading.Store(l)
	defer g.stepDown()
	g.log.Info("leading", "term", term)
	g.client.leadChange.Fire()
	g.fsm.Applied.Fire()
	g.begin(l.leases.Spread)
	l.nameCluster(ctx)
	g.changes.Lock()
	l.members.raise(ctx) // if it fails, tend goes on
	g.changes.Unlock()
	l.members.tend(ctx)
}

func (g *Group) newLeadership(ctx context.Context, term uint64) *leadership {
	leases := lease.NewTable(ctx, g.leaseConfig(term))
	return &leadership{g: g, term: term, leases: leases, members: &membership{g: g, votes: votes{g, leases}}}
}

// leaseConfig is what the table of leases needs for a term that begins now.
func (g *Group) leaseConfig(term uint64) lease.Config {
	c := lease.Config{
		Node: g.cfg.NodeID, Length: g.cfg.Lease, FormerLength: g.cfg.FormerLease, Heartbeat: g.cfg.HeartbeatTimeout,
		Clock: g.ticks, FSM: g.fsm, Own: g.own, Servers: g.raft.servers, Begin: g.begin, Observer: g.cfg.Observer, Log: g.log,
		Term: term, Program: g.least(), Configured: g.configured.Load,
	}
	if last := g.client.lastLeader.Load(); last != nil {
		c.Predecessor = *last
	}
	if g.cfg.Call != nil {
		c.Tell = func(ctx context.Context, node wire.NodeID, watermark int64) error {
			_, err := g.cfg.Call(ctx, node, &Request{Watermark: watermark})
			return err
		}
	}
	return c
}

// stepDown ends a term. The node keeps its lease, because a successor reckons with it.
func (g *Group) stepDown() {
	g.own.Contact.Ceased(g.ticks.Now())
	g.leading.Store(nil)
	g.client.leadChange.Fire()
	g.fsm.Applied.Fire()
}

// transfer makes raft hand leadership over to a voter that answers. Raft by itself chooses
// any voter that lacks nothing, even a dead one. While it waits for a frozen one, up to ten
// seconds, it refuses all entries but stays the leader, so that no other node is elected.
func (g *Group) transfer() raft.Future {
	l := g.leading.Load()
	if l == nil { // its term has not begun, so it knows nothing of others
		return g.raft.LeadershipTransfer()
	}
	next, ok := l.leases.Successor()
	if !ok {
		return failed{errNoSuccessor}
	}
	l.leaving.Store(true)
	return g.raft.LeadershipTransferToServer(next.ID, next.Address)
}

// errNoSuccessor: no other voter has reported lately.
var errNoSuccessor = errors.New("no other voter answers")

// failed is an operation of raft that was never started.
type failed struct{ error }

// Error implements raft.Future.
func (f failed) Error() error { return f.error }

// takeReport answers a node's report.
func (l *leadership) takeReport(r *Report) *Reply {
	g := l.g
	if !g.raft.member(r.Node) {
		return replyTo(lease.Answer{Watermark: l.leases.Current()}, g.cfg.Clock.Now())
	}
	g.history.compare(r, l.term, g.raft.LastIndex())
	if r.Index < g.raft.CommitIndex() {
		g.lull.Lacks(raft.ServerID(r.Node))
	}
	return replyTo(l.leases.Report(r), g.cfg.Clock.Now())
}

// nameCluster gives a new cluster its id.
func (l *leadership) nameCluster(ctx context.Context) {
	for l.g.Catalog().ClusterID() == "" && ctx.Err() == nil {
		name, err := json.Marshal(uuid.NewString())
		if err != nil {
			l.g.history.fatal(err)
			return
		}
		_, err = l.g.Propose(ctx, &wire.Command{Update: &wire.Update{
			Changes:      []wire.Change{{PutValue: &wire.Value{Name: wire.ValueCluster, JSON: name}}},
			CompareValue: &wire.Value{Name: wire.ValueCluster}, // none yet
		}})
		if err != nil {
			select {
			case <-ctx.Done():
			case <-time.After(retryEvery):
			}
		}
	}
}
