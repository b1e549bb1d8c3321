package consensus

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/raft"

	"shoal/consensus/lease"
	"shoal/consensus/raftlog"
	"shoal/consensus/voters"
	"shoal/wire"
)

// votes decides, for one term of this node as the leader, which members vote (see package
// voters).
type votes struct {
	g      *Group
	leases *lease.Table
}

// tend makes the most urgent change of the set of voters, if there is one. The caller holds
// changes.
func (v *votes) tend(ctx context.Context) {
	v.leases.KeepingUp(v.g.raft.LastIndex(), v.g.cfg.Membership.MaxLag)
	if move := v.electorate().Next(&v.g.cfg.Membership.Rules); move.What != voters.Keep {
		err := v.carryOut(ctx, move)
		v.g.log.Info("voters", "change", move.What.String(), "node", move.Node, "votes", move.Votes, "error", err)
	}
}

// carryOut makes one change of the set of voters. The caller holds changes.
func (v *votes) carryOut(ctx context.Context, move voters.Move) error {
	id := raft.ServerID(move.Node)
	switch move.What {
	case voters.Pledge:
		return v.pledge(ctx, move.Votes)
	case voters.Promote:
		return v.g.raft.await(ctx, func() raft.Future { return v.g.raft.AddVoter(id, raftlog.AddressOf(move.Node), 0, 0) })
	case voters.Demote:
		return v.g.raft.await(ctx, func() raft.Future { return v.g.raft.DemoteVoter(id, 0, 0) })
	case voters.HandOver:
		return v.g.raft.await(ctx, v.g.transfer)
	}
	return nil
}

// pledge records how many votes the cluster aims at. The entry counts only if no other
// number has been recorded meanwhile.
func (v *votes) pledge(ctx context.Context, votes int) error {
	have, _ := v.g.Catalog().Value(wire.ValueVotes)
	return v.g.update(ctx, &wire.Value{Name: wire.ValueVotes, JSON: have.JSON}, []wire.Change{{PutValue: wire.VotesValue(votes)}})
}

// electorate describes the members for a plan of the votes.
func (v *votes) electorate() *voters.Electorate {
	return &voters.Electorate{Members: v.assess(), Pledged: v.g.Catalog().Votes()}
}

// assess describes the members, by id.
func (v *votes) assess() []voters.Member {
	health := v.leases.Health()
	zoned := wire.Zoned(v.g.Catalog().Nodes())
	var list []voters.Member
	for _, server := range v.g.raft.servers() {
		id := wire.NodeID(server.ID)
		s := voters.Member{
			ID: id, Name: string(id), Self: id == v.g.cfg.NodeID, Voter: server.Suffrage == raft.Voter,
			Silent: health[id].Silent, Kept: health[id].Kept,
		}
		if n, ok := v.g.Catalog().Node(s.ID); ok {
			s.Name, s.Eligible, s.Draining = n.Name, n.Voter, n.Draining
			if zoned {
				s.Zone = n.Zone
			}
		} else {
			// A first member without a description was made a voter on purpose and stays
			// one.
			s.Eligible = s.Voter
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(x, y voters.Member) int { return strings.Compare(string(x.ID), string(y.ID)) })
	return list
}

// silence is for how long the leader has not heard from a member.
func (v *votes) silence(id wire.NodeID) time.Duration {
	for _, s := range v.assess() {
		if s.ID == id {
			return s.Silent
		}
	}
	return v.g.cfg.Membership.ReplaceAfter
}

// release hands over the vote of a node that is about to be removed, if it has one that the
// cluster keeps. It returns how many votes the cluster keeps then.
func (v *votes) release(ctx context.Context, node wire.NodeID) (votes int, err error) {
	v.leases.KeepingUp(v.g.raft.LastIndex(), v.g.cfg.Membership.MaxLag)
	for {
		first, votes, err := v.electorate().Removal(node, &v.g.cfg.Membership.Rules)
		if err != nil || first.What == voters.Keep {
			return votes, err
		}
		if err := v.carryOut(ctx, first); err != nil {
			return 0, err
		}
		v.g.log.Info("vote handed over", "from", node, "to", first.Node)
	}
}
