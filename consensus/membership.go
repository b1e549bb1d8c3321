package consensus

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/raft"

	"shoal/consensus/raftlog"
	"shoal/consensus/voters"
	"shoal/wire"
	"shoal/wire/await"
)

// tend maintains the membership on the leader. At every interval it makes at most one
// change, the most urgent one. Gossip nominates, the log decides (architecture 3): a node
// is admitted without a vote after it answered a ping, and gets a vote once it keeps up
// (see package voters).
func (g *Group) tend(ctx context.Context, b *leaseTable) {
	tick := time.NewTimer(await.Until(g.cfg.Membership.Interval))
	defer tick.Stop()
	for {
		g.tendOnce(ctx, b)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			tick.Reset(await.Until(g.cfg.Membership.Interval))
		}
	}
}

func (g *Group) tendOnce(ctx context.Context, b *leaseTable) {
	g.changes.Lock()
	defer g.changes.Unlock()
	if g.cfg.Nominees == nil {
		g.raise(ctx, b)
		return
	}
	nominees := g.cfg.Nominees()
	slices.SortFunc(nominees, func(x, y wire.Node) int { return strings.Compare(string(x.ID), string(y.ID)) })
	if !g.expel(ctx) || !g.describeNodes(ctx, nominees) || !g.raise(ctx, b) || !g.admit(ctx, b, nominees) {
		return
	}
	b.keepingUp(g.raft.LastIndex(), g.cfg.Membership.MaxLag)
	if move := g.electorate(b).Next(&g.cfg.Membership.Rules); move.What != voters.Keep {
		err := g.carryOut(ctx, move)
		g.log.Info("voters", "change", move.What.String(), "node", move.Node, "votes", move.Votes, "error", err)
	}
}

// carryOut makes one change of the set of voters. The caller holds changes.
func (g *Group) carryOut(ctx context.Context, move voters.Move) error {
	id := raft.ServerID(move.Node)
	switch move.What {
	case voters.Pledge:
		return g.pledge(ctx, move.Votes)
	case voters.Promote:
		return g.await(ctx, func() raft.Future { return g.raft.AddVoter(id, raftlog.AddressOf(move.Node), 0, 0) })
	case voters.Demote:
		return g.await(ctx, func() raft.Future { return g.raft.DemoteVoter(id, 0, 0) })
	case voters.HandOver:
		return g.await(ctx, g.transfer)
	}
	return nil
}

// pledge records how many votes the cluster aims at. The entry counts only if no other
// number has been recorded meanwhile.
func (g *Group) pledge(ctx context.Context, votes int) error {
	have, _ := g.Catalog().Value(wire.ValueVotes)
	res, err := g.Propose(ctx, &wire.Command{Update: &wire.Update{
		Changes:      []wire.Change{{PutValue: wire.VotesValue(votes)}},
		CompareValue: &wire.Value{Name: wire.ValueVotes, JSON: have.JSON},
	}})
	if err == nil && res.Fenced {
		err = wire.ErrFenced
	}
	return err
}

// electorate describes the members for a plan of the votes.
func (g *Group) electorate(b *leaseTable) *voters.Electorate {
	return &voters.Electorate{Members: g.assess(b), Pledged: g.Catalog().Votes()}
}

// assess describes the members, by id.
func (g *Group) assess(b *leaseTable) []voters.Member {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.g.now()
	zoned := wire.Zoned(g.Catalog().Nodes())
	var list []voters.Member
	for _, server := range g.servers() {
		s := voters.Member{ID: wire.NodeID(server.ID), Name: string(server.ID), Voter: server.Suffrage == raft.Voter}
		if n, ok := g.Catalog().Node(s.ID); ok {
			s.Name, s.Eligible, s.Draining = n.Name, n.Voter, n.Draining
			if zoned {
				s.Zone = n.Zone
			}
		} else {
			// A first member without a description was made a voter on purpose and stays
			// one.
			s.Eligible = s.Voter
		}
		known := b.nodes[s.ID]
		switch {
		case s.ID == g.cfg.NodeID:
			s.Self, s.Kept = true, time.Duration(now)+1
		case known != nil:
			s.Silent = time.Duration(now - max(known.spoke, known.heard))
			if known.kept != 0 {
				s.Kept = time.Duration(now-known.kept) + 1
			}
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(x, y voters.Member) int { return strings.Compare(string(x.ID), string(y.ID)) })
	return list
}

// describeNodes updates the catalogue's nodes to what gossip says of them. It leaves the
// draining mark alone, which is an operator's decision. It returns false if it had a
// change to propose and could not.
func (g *Group) describeNodes(ctx context.Context, nominees []wire.Node) bool {
	members := slices.DeleteFunc(slices.Clone(nominees), func(n wire.Node) bool { return !g.member(n.ID) })
	return g.describe(ctx, members...) == nil
}

func (g *Group) member(id wire.NodeID) bool {
	return slices.ContainsFunc(g.servers(), func(s raft.Server) bool { return wire.NodeID(s.ID) == id })
}

// answers is the leader's own probe of a node.
func (g *Group) answers(ctx context.Context, id wire.NodeID) bool {
	if g.cfg.Call == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	reply, err := g.cfg.Call(ctx, id, &Request{Ping: true})
	return err == nil && reply.Node == id
}

// keepingUp records since when each node has been close to the leader's log. Like every
// measure of slowness it uses fractions of FormerLease, so that shorter leases do not deny
// a vote to a node for a pause that was acceptable before.
func (b *leaseTable) keepingUp(last, maxLag uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.g.now()
	for _, s := range b.nodes {
		switch {
		case s.spoke == 0 || now-s.spoke >= 4*int64(b.g.cfg.FormerLease) || s.index+maxLag < last:
			s.kept = 0
		case s.kept == 0:
			s.kept = now
		}
	}
}
