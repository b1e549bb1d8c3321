package consensus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/hashicorp/raft"
	"golang.org/x/sync/errgroup"

	"shoal/api/apierr"
	"shoal/consensus/voters"
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

// removed is the list in this node's catalogue. Do not modify it.
func (g *Group) removed() *removals {
	v, _ := g.Catalog().Value(wire.ValueRemoved)
	if have := g.removals.Load(); have != nil && bytes.Equal(have.raw, v.JSON) {
		return have
	}
	r := &removals{raw: v.JSON, byID: map[wire.NodeID]int{}}
	if len(v.JSON) > 0 {
		if err := json.Unmarshal(v.JSON, &r.list); err != nil {
			g.log.Error("the list of removed nodes cannot be read", "error", err) // only this package writes it
		}
	}
	for i, one := range r.list {
		r.byID[one.ID] = i
	}
	g.removals.Store(r)
	return r
}

// Removed tells whether a node was removed for good, as far as this node knows.
func (g *Group) Removed(node wire.NodeID) (wire.Removal, bool) {
	r := g.removed()
	i, ok := r.byID[node]
	if !ok {
		return wire.Removal{}, false
	}
	return r.list[i], true
}

// guard lets a proposal fail if the list has changed since it was read.
func (r *removals) guard() *wire.Value { return &wire.Value{Name: wire.ValueRemoved, JSON: r.raw} }

// strike removes a node from the catalogue and records that it stays out, and how many
// votes the cluster keeps without it (0: as many as before). It may be repeated.
func (l *leadership) strike(ctx context.Context, one wire.Removal, votes int) error {
	for ctx.Err() == nil {
		have := l.g.removed()
		if _, already := have.byID[one.ID]; already {
			return nil
		}
		list := append(have.list[max(0, len(have.list)+1-removalsKept):len(have.list):len(have.list)], one)
		body, err := json.Marshal(list)
		if err != nil {
			return fmt.Errorf("encode the removed nodes: %w", err)
		}
		changes := []wire.Change{{DropNode: &one.ID}, {PutValue: &wire.Value{Name: wire.ValueRemoved, JSON: body}}}
		if votes != 0 && votes != l.g.Catalog().Votes() {
			changes = append(changes, wire.Change{PutValue: wire.VotesValue(votes)})
		}
		res, err := l.g.Propose(ctx, &wire.Command{Update: &wire.Update{CompareValue: have.guard(), Changes: changes}})
		if err != nil {
			return err
		}
		if !res.Fenced {
			return nil
		}
	}
	return ctx.Err()
}

// expel removes the first removed node from the group that is still in it. It returns false
// if there was one.
func (l *leadership) expel(ctx context.Context) bool {
	for _, s := range l.g.servers() {
		id := wire.NodeID(s.ID)
		r, out := l.g.Removed(id)
		if !out {
			continue
		}
		var err error
		if id == l.g.cfg.NodeID {
			err = l.g.await(ctx, l.g.transfer) // the next leader removes it
		} else {
			err = l.g.await(ctx, func() raft.Future { return l.g.raft.RemoveServer(s.ID, 0, 0) })
			l.g.tell(id, &Verdict{Removed: &r})
		}
		l.g.log.Info("node leaves", "node", id, "name", r.Name, "error", err)
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
	ctx, cancel := g.patience(ctx)
	defer cancel()
	return g.persist(ctx, func() error { return g.removeOnce(ctx, node) })
}

// removeOnce removes a node, here or on the leader.
func (g *Group) removeOnce(ctx context.Context, node wire.NodeID) error {
	if g.raft.State() == raft.Leader {
		return g.removeHere(ctx, node)
	}
	_, err := g.callLeader(ctx, &Request{Remove: &node})
	return err
}

func (g *Group) removeHere(ctx context.Context, node wire.NodeID) error {
	l := g.leading.Load()
	if l == nil || g.raft.State() != raft.Leader {
		return wire.ErrNotLeader
	}
	return l.remove(ctx, node)
}

// remove removes a node as the leader.
func (l *leadership) remove(ctx context.Context, node wire.NodeID) error {
	l.g.changes.Lock()
	defer l.g.changes.Unlock()
	votes, err := l.release(ctx, node)
	if err != nil {
		return err
	}
	if err := l.enough(ctx, node); err != nil {
		return err
	}
	one := wire.Removal{ID: node, At: time.Now().UnixNano()}
	if d, ok := l.g.Catalog().Node(node); ok {
		one.Name = d.Name
	}
	if err := l.strike(ctx, one, votes); err != nil {
		return err
	}
	for try := 0; try < 3 && !l.expel(ctx); try++ { // if it fails, tend continues
	}
	return nil
}

// release hands over the vote of a node that is about to be removed, if it has one that the
// cluster keeps. It returns how many votes the cluster keeps then.
func (l *leadership) release(ctx context.Context, node wire.NodeID) (votes int, err error) {
	l.leases.keepingUp(l.g.raft.LastIndex(), l.g.cfg.Membership.MaxLag)
	for {
		first, votes, err := l.electorate().Removal(node, &l.g.cfg.Membership.Rules)
		if err != nil || first.What == voters.Keep {
			return votes, err
		}
		if err := l.carryOut(ctx, first); err != nil {
			return 0, err
		}
		l.g.log.Info("vote handed over", "from", node, "to", first.Node)
	}
}

// enough returns an error if most of the voters that would be left do not answer. Nothing
// could be agreed on any more, not even this removal.
func (l *leadership) enough(ctx context.Context, node wire.NodeID) error {
	votes, left := false, []wire.NodeID(nil)
	for _, s := range l.g.servers() {
		switch {
		case s.Suffrage != raft.Voter:
		case wire.NodeID(s.ID) == node:
			votes = true
		default:
			left = append(left, wire.NodeID(s.ID))
		}
	}
	if !votes {
		return nil
	}
	answers := make([]bool, len(left))
	var work errgroup.Group
	for i, id := range left {
		work.Go(func() error {
			answers[i] = id == l.g.cfg.NodeID || l.answers(ctx, id)
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

// errNoVerdict: the verdict says nothing that this version knows.
var errNoVerdict = errors.New("a verdict that this version does not know")

// Lost tells whether a node was left out when this cluster was recovered without it. It may
// still believe that it votes or leads.
func (g *Group) Lost(node wire.NodeID) bool {
	r, out := g.Removed(node)
	return out && r.Lost
}

// guarded is a listener that rejects lost nodes. Raft itself accepts entries from any node
// with a higher term.
type guarded struct {
	net.Listener
	lost func(wire.NodeID) bool
}

// Accept returns the next connection from a node that is not lost.
func (l *guarded) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if named, ok := c.(namedConn); !ok || !l.lost(named.Node()) {
			return c, nil
		}
		_ = c.Close() // the node tries again
	}
}
