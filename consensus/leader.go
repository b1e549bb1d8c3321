package consensus

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/raft"

	"shoal/wire"
)

// leadership is one term of this node as the leader. All of it is dropped when the term
// ends, so that nothing stale survives.
type leadership struct {
	g      *Group
	term   uint64
	leases *leaseTable
	// leaving: another node was asked to lead, and may do so at any moment.
	leaving atomic.Bool
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
	g.followed() // the leader known before observation began
	end := func() {}
	defer func() { end() }()
	for {
		select {
		case <-g.ctx.Done():
			return
		case <-elsewhere:
			g.followed()
		case leads := <-g.notify:
			if !leads {
				g.lull.SteppedDown()
			}
			end()
			end = func() {}
			if leads {
				end = g.serveTerm()
			}
			g.followed()
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
	leads := func() bool {
		return ctx.Err() == nil && g.raft.State() == raft.Leader && g.raft.CurrentTerm() == term
	}
	for err := wire.ErrNoLeader; err != nil; {
		if !leads() {
			return
		}
		if err = g.await(ctx, func() raft.Future { return g.raft.Barrier(0) }); err != nil {
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
	g.leadChange.Fire()
	g.fsm.applied.Fire()
	l.spread(ctx)
	l.nameCluster(ctx)
	g.changes.Lock()
	l.raise(ctx) // if it fails, tend goes on
	g.changes.Unlock()
	l.tend(ctx)
}

func (g *Group) newLeadership(ctx context.Context, term uint64) *leadership {
	return &leadership{g: g, term: term, leases: g.newLeaseTable(ctx, term)}
}

// stepDown ends a term. The node keeps its lease, because a successor reckons with it.
func (g *Group) stepDown() {
	g.contact.ceased(g.now())
	g.leading.Store(nil)
	g.leadChange.Fire()
	g.fsm.applied.Fire()
}

// transfer makes raft hand leadership over to a voter that answers. Raft by itself chooses
// any voter that lacks nothing, even a dead one. While it waits for a frozen one, up to ten
// seconds, it refuses all entries but stays the leader, so that no other node is elected.
func (g *Group) transfer() raft.Future {
	l := g.leading.Load()
	if l == nil { // its term has not begun, so it knows nothing of others
		return g.raft.LeadershipTransfer()
	}
	next, ok := l.leases.successor(g.servers())
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

// nameCluster gives a new cluster its id.
func (l *leadership) nameCluster(ctx context.Context) {
	for l.g.Catalog().ClusterID() == "" && ctx.Err() == nil {
		name, err := json.Marshal(uuid.NewString())
		if err != nil {
			l.g.fatal(err)
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
