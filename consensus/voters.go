package consensus

import (
	"fmt"
	"time"

	"shoal/api/apierr"
	"shoal/wire"
)

// Which members vote. An acknowledged entry is on the disks of more than half of the
// voters, so the number of votes says how many disks may be lost. Three rules keep it
// (docs/adr/0031):
//
//   - The log records how many votes the cluster keeps (wire.ValueVotes). The number is
//     raised before a vote is given, and lowered only by the entry with which an operator
//     removes a member.
//   - A vote is taken away only while there are more votes than that.
//   - A vote is given only to a node that has caught up. A replacement gets its vote
//     before the node that it replaces loses one.
//
// Draining moves copies of shards and no votes: a node that drains is sound, and votes
// until it is removed.

// serverState is a member as planVoters sees it.
type serverState struct {
	id       wire.NodeID
	name     string
	voter    bool
	self     bool
	eligible bool          // its operator lets it vote (no --no-voter)
	draining bool          // gets no vote any more, and keeps the one that it has
	silent   time.Duration // since its last report
	kept     time.Duration // for which it has kept up, 0 = it does not
}

// electorate is all members, by id, and the number of votes that the log records, 0 if
// it records none yet.
type electorate struct {
	servers []serverState
	pledged int
}

// voterMove is one change of the set of voters.
type voterMove struct {
	what  moveKind
	node  wire.NodeID
	votes int // of pledge
}

type moveKind uint8

const (
	keep     moveKind = iota // nothing to do
	pledge                   // record how many votes the cluster keeps
	promote                  // give a vote
	demote                   // take a vote
	handOver                 // the leader itself must go: the next leader demotes it
)

func (k moveKind) String() string {
	return [...]string{"keep", "pledge", "promote", "demote", "hand over"}[k]
}

// sound voters count towards the goal. A voter that was started with --no-voter or has
// been silent for long keeps its vote until another node has one in its stead.
func (s *serverState) sound(cfg *MembershipConfig) bool {
	return s.eligible && s.silent < cfg.DeadAfter
}

// goalOf is how many of n members that may vote do: both of two, so that no entry is
// acknowledged that one disk has alone, and else an odd number.
func goalOf(n, most int) int {
	switch {
	case n >= 5 && most >= 5:
		return 5
	case n >= 3 && most >= 3:
		return 3
	case n >= 2 && most >= 2:
		return 2
	}
	return 1
}

// goal is how many votes there should be: what the number of members asks for, and no
// fewer than the cluster keeps.
func (e *electorate) goal(cfg *MembershipConfig) int {
	return max(e.wanted("", cfg), min(e.pledged, cfg.MaxVoters))
}

// wanted is what the number of eligible members asks for, without one of them.
func (e *electorate) wanted(without wire.NodeID, cfg *MembershipConfig) int {
	eligible := 0
	for _, s := range e.servers {
		if s.eligible && s.id != without {
			eligible++
		}
	}
	return goalOf(eligible, cfg.MaxVoters)
}

func (e *electorate) votes() int {
	votes := 0
	for _, s := range e.servers {
		if s.voter {
			votes++
		}
	}
	return votes
}

// planVoters decides the next step towards the goal.
func planVoters(e *electorate, cfg *MembershipConfig) voterMove {
	goal, votes, sound := e.goal(cfg), e.votes(), 0
	for _, s := range e.servers {
		if s.voter && s.sound(cfg) {
			sound++
		}
	}
	if had := min(votes, goal); e.pledged < had {
		return voterMove{what: pledge, votes: had} // there was no record, or no time to write it
	}
	if votes > goal {
		return e.dismissal(cfg)
	}
	next := e.successor(cfg.PromoteAfter)
	switch {
	case sound >= goal || next == nil:
		return voterMove{}
	case votes+1 > e.pledged && votes < goal:
		return voterMove{what: pledge, votes: votes + 1}
	}
	return voterMove{what: promote, node: next.id}
}

// successor is a member that can take a vote: it has kept up for longer than after.
func (e *electorate) successor(after time.Duration) *serverState {
	for i := range e.servers {
		if s := &e.servers[i]; !s.voter && s.eligible && !s.draining && s.kept > 0 && s.kept > after {
			return s
		}
	}
	return nil
}

// dismissal picks the voter to demote: the one that can be missed most, by misses, else
// the last by id; the leader last of all, and by handing over. Voters that do not answer
// go first, so those that are left are no fewer than a majority.
func (e *electorate) dismissal(cfg *MembershipConfig) voterMove {
	var least *serverState
	for i := range e.servers {
		if s := &e.servers[i]; s.voter && (least == nil || s.misses(cfg) >= least.misses(cfg)) {
			least = s
		}
	}
	if least.self {
		return voterMove{what: handOver, node: least.id}
	}
	return voterMove{what: demote, node: least.id}
}

func (s *serverState) answers(cfg *MembershipConfig) bool { return s.silent < cfg.ReplaceAfter }

// misses ranks voters by how little is lost with their vote.
func (s *serverState) misses(cfg *MembershipConfig) int {
	switch {
	case s.silent >= cfg.DeadAfter:
		return 5
	case !s.answers(cfg):
		return 4
	case !s.eligible:
		return 3
	case s.draining:
		return 2
	case !s.self:
		return 1
	}
	return 0
}

// planRemoval decides what comes before an operator's removal of a member: a promotion
// that hands its vote over, or nothing. votes is how many the cluster keeps once the
// member is gone. The error tells the operator why it cannot go yet, and what to do.
func planRemoval(e *electorate, node wire.NodeID, cfg *MembershipConfig) (first voterMove, votes int, err error) {
	pledged := e.pledged
	if pledged == 0 {
		pledged = min(e.votes(), e.goal(cfg))
	}
	votes = min(pledged, e.wanted(node, cfg))
	leaves, late := (*serverState)(nil), (*serverState)(nil)
	for i := range e.servers {
		switch s := &e.servers[i]; {
		case s.id == node:
			leaves = s
		case !s.voter && s.eligible:
			late = s
		}
	}
	if leaves == nil || !leaves.voter || e.votes()-1 >= votes {
		return voterMove{}, votes, nil
	}
	if next := e.successor(0); next != nil {
		return voterMove{what: promote, node: next.id}, votes, nil
	}
	if late == nil { // it is the only member that may vote: see enough
		return voterMove{}, votes, nil
	}
	why := "has not caught up with the log: try again in a moment, or remove it first if it will not come back"
	if late.draining {
		why = "is being drained: call that off (DELETE /cluster/nodes/" + late.name + "/drain), or remove it first"
	}
	return voterMove{}, votes, apierr.New(apierr.CodeBadRequest, fmt.Sprintf(
		"Node `%s` has one of %d votes, and no other node can take it over yet: `%s` %s.", leaves.name, e.votes(), late.name, why))
}

// spares tells whether a member may be struck out for a newcomer of its name: as many
// disks as before have every entry that is acknowledged meanwhile.
func (e *electorate) spares(node wire.NodeID) bool {
	for _, s := range e.servers {
		if s.id == node && s.voter {
			return wire.Majority(e.votes()-1) >= wire.Majority(min(e.votes(), e.pledged))
		}
	}
	return true
}
