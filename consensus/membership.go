package consensus

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/raft"

	"shoal/consensus/raftlog"
	"shoal/wire"
	"shoal/wire/beat"
)

// tend is the leader's care for the membership: it looks at every interval and
// makes at most one change, the most urgent one. Gossip nominates, the log decides
// (architecture 3): a node comes in after it answered a ping, without a vote; it
// gets one when it keeps up; a voter that stays silent is replaced, never just
// dropped.
func (g *Group) tend(ctx context.Context, b *board) {
	tick := time.NewTimer(beat.Until(g.cfg.Membership.Interval))
	defer tick.Stop()
	for {
		g.tendOnce(ctx, b)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			tick.Reset(beat.Until(g.cfg.Membership.Interval))
		}
	}
}

func (g *Group) tendOnce(ctx context.Context, b *board) {
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
	move := planVoters(g.assess(b), &g.cfg.Membership)
	if move.node == "" {
		return
	}
	id := raft.ServerID(move.node)
	var err error
	switch move.what {
	case promote:
		err = g.settle(ctx, func() raft.Future { return g.raft.AddVoter(id, raftlog.AddressOf(move.node), 0, 0) })
	case demote:
		err = g.settle(ctx, func() raft.Future { return g.raft.DemoteVoter(id, 0, 0) })
	case handOver:
		err = g.settle(ctx, g.transfer)
	}
	g.log.Info("voters", "change", move.what.String(), "node", move.node, "error", err)
}

// describeNodes keeps the catalogue's nodes as gossip describes them. Draining is
// an operator's decision and stays. False when something had to be proposed and
// could not be.
func (g *Group) describeNodes(ctx context.Context, nominees []wire.Node) bool {
	members := slices.DeleteFunc(slices.Clone(nominees), func(n wire.Node) bool { return !g.member(n.ID) })
	return g.describe(ctx, members...) == nil
}

func (g *Group) member(id wire.NodeID) bool {
	return slices.ContainsFunc(g.servers(), func(s raft.Server) bool { return wire.NodeID(s.ID) == id })
}

// answers is the leader's own probe.
func (g *Group) answers(ctx context.Context, id wire.NodeID) bool {
	if g.cfg.Call == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	reply, err := g.cfg.Call(ctx, id, &Request{Ping: true})
	return err == nil && reply.Node == id
}

// keepingUp notes since when each node has been close to the leader's log. Like all that
// makes a node slow it is measured in parts of FormerLease, so that a shorter lease does
// not take a node's chance of a vote for a pause that it was allowed before.
func (b *board) keepingUp(last, maxLag uint64) {
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

// serverState is a server as planVoters sees it.
type serverState struct {
	id      wire.NodeID
	voter   bool
	self    bool
	capable bool          // may vote and is not draining
	silent  time.Duration // since its last report
	kept    time.Duration // for which it has kept up, 0 = it does not
}

// assess describes the members, by id.
func (g *Group) assess(b *board) []serverState {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.g.now()
	var list []serverState
	for _, server := range g.servers() {
		s := serverState{id: wire.NodeID(server.ID), voter: server.Suffrage == raft.Voter}
		if n, ok := g.Catalog().Node(s.id); ok {
			s.capable = n.Voter && !n.Draining
		} else {
			// A first member that nobody has described yet: it was made a voter on
			// purpose and stays one.
			s.capable = s.voter
		}
		known := b.nodes[s.id]
		switch {
		case s.id == g.cfg.NodeID:
			s.self, s.kept = true, time.Duration(now)+1
		case known != nil:
			s.silent = time.Duration(now - max(known.spoke, known.heard))
			if known.kept != 0 {
				s.kept = time.Duration(now-known.kept) + 1
			}
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(x, y serverState) int { return strings.Compare(string(x.id), string(y.id)) })
	return list
}

// voterMove is one change of the set of voters; an empty node means none.
type voterMove struct {
	what moveKind
	node wire.NodeID
}

type moveKind uint8

const (
	promote moveKind = iota
	demote
	handOver // the leader itself must go: another one demotes it
)

func (k moveKind) String() string { return [...]string{"promote", "demote", "hand over"}[k] }

// planVoters decides the next step towards 1, 3 or 5 voters. A voter that is dead
// or may not vote any more keeps its place until another node has taken it: the
// new one is added first.
func planVoters(servers []serverState, cfg *MembershipConfig) voterMove {
	capable, voters, sound := 0, 0, 0
	for _, s := range servers {
		if s.capable {
			capable++
		}
		if s.voter {
			voters++
			if s.sound(cfg) {
				sound++
			}
		}
	}
	goal := goalOf(capable, cfg.MaxVoters)
	if sound < goal {
		for _, s := range servers {
			if !s.voter && s.capable && s.kept > 0 && s.kept > cfg.PromoteAfter {
				return voterMove{promote, s.id}
			}
		}
	}
	if voters <= goal || sound < min(goal, voters-1) {
		return voterMove{}
	}
	return dismissal(servers, cfg)
}

// sound voters count towards the goal.
func (s *serverState) sound(cfg *MembershipConfig) bool { return s.capable && s.silent < cfg.DeadAfter }

// goalOf is the number of voters among n nodes that may vote.
func goalOf(n, most int) int {
	switch {
	case n >= 5 && most >= 5:
		return 5
	case n >= 3 && most >= 3:
		return 3
	default:
		return 1
	}
}

// dismissal picks the voter to demote: one that is dead, else one that may not
// vote, else the last by id; the leader last of all, and by handing over.
func dismissal(servers []serverState, cfg *MembershipConfig) voterMove {
	best, bestRank := -1, 0
	for i, s := range servers {
		if !s.voter {
			continue
		}
		rank := 1
		switch {
		case s.silent >= cfg.DeadAfter:
			rank = 4
		case !s.capable:
			rank = 3
		case !s.self:
			rank = 2
		}
		if rank >= bestRank {
			best, bestRank = i, rank
		}
	}
	if servers[best].self {
		return voterMove{handOver, servers[best].id}
	}
	return voterMove{demote, servers[best].id}
}
