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
func (l *leadership) tend(ctx context.Context) {
	tick := time.NewTimer(await.Until(l.g.cfg.Membership.Interval))
	defer tick.Stop()
	for {
		l.tendOnce(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			tick.Reset(await.Until(l.g.cfg.Membership.Interval))
		}
	}
}

func (l *leadership) tendOnce(ctx context.Context) {
	l.g.changes.Lock()
	defer l.g.changes.Unlock()
	if l.g.cfg.Nominees == nil {
		l.raise(ctx)
		return
	}
	nominees := l.g.cfg.Nominees()
	slices.SortFunc(nominees, func(x, y wire.Node) int { return strings.Compare(string(x.ID), string(y.ID)) })
	if !l.expel(ctx) || !l.describeNodes(ctx, nominees) || !l.raise(ctx) || !l.admit(ctx, nominees) {
		return
	}
	l.leases.keepingUp(l.g.raft.LastIndex(), l.g.cfg.Membership.MaxLag)
	if move := l.electorate().Next(&l.g.cfg.Membership.Rules); move.What != voters.Keep {
		err := l.carryOut(ctx, move)
		l.g.log.Info("voters", "change", move.What.String(), "node", move.Node, "votes", move.Votes, "error", err)
	}
}

// carryOut makes one change of the set of voters. The caller holds changes.
func (l *leadership) carryOut(ctx context.Context, move voters.Move) error {
	id := raft.ServerID(move.Node)
	switch move.What {
	case voters.Pledge:
		return l.pledge(ctx, move.Votes)
	case voters.Promote:
		return l.g.await(ctx, func() raft.Future { return l.g.raft.AddVoter(id, raftlog.AddressOf(move.Node), 0, 0) })
	case voters.Demote:
		return l.g.await(ctx, func() raft.Future { return l.g.raft.DemoteVoter(id, 0, 0) })
	case voters.HandOver:
		return l.g.await(ctx, l.g.transfer)
	}
	return nil
}

// pledge records how many votes the cluster aims at. The entry counts only if no other
// number has been recorded meanwhile.
func (l *leadership) pledge(ctx context.Context, votes int) error {
	have, _ := l.g.Catalog().Value(wire.ValueVotes)
	res, err := l.g.Propose(ctx, &wire.Command{Update: &wire.Update{
		Changes:      []wire.Change{{PutValue: wire.VotesValue(votes)}},
		CompareValue: &wire.Value{Name: wire.ValueVotes, JSON: have.JSON},
	}})
	if err == nil && res.Fenced {
		err = wire.ErrFenced
	}
	return err
}

// electorate describes the members for a plan of the votes.
func (l *leadership) electorate() *voters.Electorate {
	return &voters.Electorate{Members: l.assess(), Pledged: l.g.Catalog().Votes()}
}

// assess describes the members, by id.
func (l *leadership) assess() []voters.Member {
	l.leases.mu.Lock()
	defer l.leases.mu.Unlock()
	now := l.g.now()
	zoned := wire.Zoned(l.g.Catalog().Nodes())
	var list []voters.Member
	for _, server := range l.g.servers() {
		s := voters.Member{ID: wire.NodeID(server.ID), Name: string(server.ID), Voter: server.Suffrage == raft.Voter}
		if n, ok := l.g.Catalog().Node(s.ID); ok {
			s.Name, s.Eligible, s.Draining = n.Name, n.Voter, n.Draining
			if zoned {
				s.Zone = n.Zone
			}
		} else {
			// A first member without a description was made a voter on purpose and stays
			// one.
			s.Eligible = s.Voter
		}
		known := l.leases.nodes[s.ID]
		switch {
		case s.ID == l.g.cfg.NodeID:
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
func (l *leadership) describeNodes(ctx context.Context, nominees []wire.Node) bool {
	members := slices.DeleteFunc(slices.Clone(nominees), func(n wire.Node) bool { return !l.g.member(n.ID) })
	return l.describe(ctx, members...) == nil
}

func (g *Group) member(id wire.NodeID) bool {
	return slices.ContainsFunc(g.servers(), func(s raft.Server) bool { return wire.NodeID(s.ID) == id })
}

// answers is the leader's own probe of a node.
func (l *leadership) answers(ctx context.Context, id wire.NodeID) bool {
	if l.g.cfg.Call == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	reply, err := l.g.cfg.Call(ctx, id, &Request{Ping: true})
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
