package consensus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"
	"golang.org/x/sync/errgroup"

	"shoal/api/apierr"
	"shoal/consensus/fsm"
	"shoal/consensus/raftlog"
	"shoal/wire"
)

// Nodes that were removed from the cluster are recorded in a value of the catalogue. Every
// node knows them and snapshots carry them. The leader neither admits them again nor leaves
// them in the group.

// removalsKept bounds the list: the oldest entries are dropped.
const removalsKept = 5000

// removals is the decoded list and the bytes from which it was decoded.
type removals struct {
	raw  json.RawMessage
	list []wire.Removal
	byID map[wire.NodeID]int
}

// removedNodes keeps the decoded list of this node's catalogue.
type removedNodes struct {
	fsm    *fsm.FSM
	log    *slog.Logger
	newest atomic.Pointer[removals]
}

// list is the list in this node's catalogue. Do not modify it.
func (n *removedNodes) list() *removals {
	v, _ := n.fsm.Catalog.Load().Value(wire.ValueRemoved)
	if have := n.newest.Load(); have != nil && bytes.Equal(have.raw, v.JSON) {
		return have
	}
	r := &removals{raw: v.JSON, byID: map[wire.NodeID]int{}}
	if len(v.JSON) > 0 {
		if err := json.Unmarshal(v.JSON, &r.list); err != nil {
			n.log.Error("the list of removed nodes cannot be read", "error", err) // only this package writes it
		}
	}
	for i, one := range r.list {
		r.byID[one.ID] = i
	}
	n.newest.Store(r)
	return r
}

// Removed tells whether a node was removed for good, as far as this node knows.
func (g *Group) Removed(node wire.NodeID) (wire.Removal, bool) {
	r := g.removed.list()
	i, ok := r.byID[node]
	if !ok {
		return wire.Removal{}, false
	}
	return r.list[i], true
}

// Lost tells whether a node was left out when this cluster was recovered without it. It may
// still believe that it votes or leads.
func (g *Group) Lost(node wire.NodeID) bool {
	r, out := g.Removed(node)
	return out && r.Lost
}

// drained tells whether the node whose place this one took was being drained.
func (r *removals) drained(by wire.NodeID) bool {
	for i := len(r.list) - 1; i >= 0; i-- {
		if r.list[i].By == by {
			return r.list[i].Draining
		}
	}
	return false
}

// guard lets a proposal fail if the list has changed since it was read.
func (r *removals) guard() *wire.Value { return &wire.Value{Name: wire.ValueRemoved, JSON: r.raw} }

// strike removes a node from the catalogue and records that it stays out, and how many
// votes the cluster keeps without it (0: as many as before). It may be repeated.
func (m *membership) strike(ctx context.Context, one wire.Removal, votes int) error {
	for ctx.Err() == nil {
		have := m.g.removed.list()
		if _, already := have.byID[one.ID]; already {
			return nil
		}
		list := append(have.list[max(0, len(have.list)+1-removalsKept):len(have.list):len(have.list)], one)
		body, err := json.Marshal(list)
		if err != nil {
			return fmt.Errorf("encode the removed nodes: %w", err)
		}
		changes := []wire.Change{{DropNode: &one.ID}, {PutValue: &wire.Value{Name: wire.ValueRemoved, JSON: body}}}
		if votes != 0 && votes != m.g.Catalog().Votes() {
			changes = append(changes, wire.Change{PutValue: wire.VotesValue(votes)})
		}
		if err := m.g.update(ctx, have.guard(), changes); !errors.Is(err, wire.ErrFenced) {
			return err
		}
	}
	return ctx.Err()
}

// expel removes the first removed node from the group that is still in it. It returns false
// if there was one.
func (m *membership) expel(ctx context.Context) bool {
	for _, s := range m.g.raft.servers() {
		id := wire.NodeID(s.ID)
		r, out := m.g.Removed(id)
		if !out {
			continue
		}
		var err error
		if id == m.g.cfg.NodeID {
			err = m.g.raft.await(ctx, m.g.transfer) // the next leader removes it
		} else {
			err = m.g.raft.await(ctx, func() raft.Future { return m.g.raft.RemoveServer(s.ID, 0, 0) })
			m.g.tell(id, &Verdict{Removed: &r})
		}
		m.g.log.Info("node leaves", "node", id, "name", r.Name, "error", err)
		return false
	}
	return true
}

// Remove removes a node from the cluster for good, from the group and from the catalogue.
// The node is told and ends. If it votes and a member that has caught up has no vote, that
// member gets a vote first. The coordinator must have moved its replicas away before.
// Remove can be called on any node. Without a leader it retries for Config.ProposeTimeout,
// which is safe because it may be repeated. If the removed node is itself the leader, its
// answer may be lost. Errors: those of Propose, and an apierr.Error if the vote cannot be
// handed over yet, or if the remaining voters could not go on.
func (g *Group) Remove(ctx context.Context, node wire.NodeID) error {
	if !g.enter() {
		return wire.ErrClosed
	}
	defer g.work.Done()
	ctx, cancel := g.client.patience(ctx)
	defer cancel()
	return g.client.persist(ctx, func() error {
		if g.raft.State() == raft.Leader {
			return g.removeHere(ctx, node)
		}
		_, err := g.client.call(ctx, &Request{Remove: &node})
		return err
	})
}

func (g *Group) removeHere(ctx context.Context, node wire.NodeID) error {
	l, ok := g.leads()
	if !ok {
		return wire.ErrNotLeader
	}
	return l.members.remove(ctx, node)
}

// remove removes a node as the leader.
func (m *membership) remove(ctx context.Context, node wire.NodeID) error {
	m.g.changes.Lock()
	defer m.g.changes.Unlock()
	votes, err := m.votes.release(ctx, node)
	if err != nil {
		return err
	}
	if err := m.enough(ctx, node); err != nil {
		return err
	}
	one := wire.Removal{ID: node, At: time.Now().UnixNano()}
	if d, ok := m.g.Catalog().Node(node); ok {
		one.Name = d.Name
	}
	if err := m.strike(ctx, one, votes); err != nil {
		return err
	}
	for try := 0; try < 3 && !m.expel(ctx); try++ { // if it fails, tend continues
	}
	return nil
}

// enough returns an error if most of the voters that would be left do not answer. Nothing
// could be agreed on any more, not even this removal.
func (m *membership) enough(ctx context.Context, node wire.NodeID) error {
	left := raftlog.VotersOf(m.g.raft.servers())
	if !slices.Contains(left, node) {
		return nil
	}
	left = slices.DeleteFunc(left, func(id wire.NodeID) bool { return id == node })
	answers := make([]bool, len(left))
	var work errgroup.Group
	for i, id := range left {
		work.Go(func() error {
			answers[i] = id == m.g.cfg.NodeID || m.answers(ctx, id)
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		return err
	}
	up := 0
	for _, yes := range answers {
		if yes {
			up++
		}
	}
	if 2*up > len(left) {
		return nil
	}
	if len(left) == 0 {
		return apierr.New(apierr.CodeBadRequest, "This node is the only one that votes: start other nodes first and wait until one of them votes too.")
	}
	return apierr.New(apierr.CodeBadRequest, fmt.Sprintf(
		"Without this node %d of the cluster's other voters would answer, and more than half of %d are needed: start other nodes first and wait until they vote.", up, len(left)))
}
