package consensus

import (
	"cmp"
	"fmt"
	"slices"
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
// Votes are spread over zones while zones count (wire.Zoned): a vote is given in a zone with
// the fewest of them, taken in one with the most, and moves when a zone has two more than
// another one that could have it.
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
	zone     string        // "" for all members while zones do not count
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

// sound voters count towards the goal. A voter that was started with --no-voter or has been
// silent for long keeps its vote until another node has one instead.
func (s *serverState) sound(cfg *MembershipConfig) bool {
	return s.eligible && s.silent < cfg.DeadAfter
}

// goalOf is how many of n eligible members vote: both of two, so that no acknowledged
// entry is on one disk only, and otherwise an odd number.
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

// goal is how many votes there should be: as many as the number of members calls for, and
// no fewer than the cluster keeps.
func (e *electorate) goal(cfg *MembershipConfig) int {
	return max(e.wanted("", cfg), min(e.pledged, cfg.MaxVoters))
}

// wanted is how many votes the number of eligible members calls for, without one of them.
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
	next := e.successor(cfg.PromoteAfter, cfg)
	switch {
	case next == nil || sound >= goal && !e.lopsided(next, cfg):
		return voterMove{}
	case votes+1 > e.pledged && votes < goal:
		return voterMove{what: pledge, votes: votes + 1}
	}
	return voterMove{what: promote, node: next.id}
}

// successor is a member that can take a vote: it has kept up for longer than after. Of
// several it is one in a zone with the fewest votes, the first by id.
func (e *electorate) successor(after time.Duration, cfg *MembershipConfig) (next *serverState) {
	for i := range e.servers {
		s := &e.servers[i]
		if s.voter || !s.eligible || s.draining || s.kept <= 0 || s.kept <= after {
			continue
		}
		if next == nil || e.votesIn(s.zone, cfg) < e.votesIn(next.zone, cfg) {
			next = s
		}
	}
	return next
}

// votesIn counts the sound voters of a zone.
func (e *electorate) votesIn(zone string, cfg *MembershipConfig) (votes int) {
	for i := range e.servers {
		if s := &e.servers[i]; s.voter && s.zone == zone && s.sound(cfg) {
			votes++
		}
	}
	return votes
}

// lopsided tells whether a zone has two votes more than the one of next. Only then does a
// vote move, and back it would not: afterwards the zones are at most one vote apart.
func (e *electorate) lopsided(next *serverState, cfg *MembershipConfig) bool {
	fewest := e.votesIn(next.zone, cfg)
	return slices.ContainsFunc(e.servers, func(s serverState) bool { return e.votesIn(s.zone, cfg) >= fewest+2 })
}

// dismissal picks the voter to demote: the one with the highest misses; of several, one in
// the zone with the most votes, then the last by id. The leader comes last, and hands over
// first. Voters that do not answer go first, so the remaining ones are no fewer than a
// majority.
func (e *electorate) dismissal(cfg *MembershipConfig) voterMove {
	var least *serverState
	for i := range e.servers {
		s := &e.servers[i]
		if s.voter && (least == nil || cmp.Or(cmp.Compare(s.misses(cfg), least.misses(cfg)),
			cmp.Compare(e.votesIn(s.zone, cfg), e.votesIn(least.zone, cfg))) >= 0) {
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

// planRemoval decides what must happen before an operator's removal of a member: a
// promotion that hands its vote over, or nothing. votes is how many votes the cluster keeps
// once the member is gone. The error tells the operator why the member cannot be removed
// yet, and what to do.
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
	if next := e.successor(0, cfg); next != nil {
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

// spares tells whether a member may be removed for a newcomer with its name. It may if
// every entry acknowledged meanwhile is on as many disks as before.
func (e *electorate) spares(node wire.NodeID) bool {
	for _, s := range e.servers {
		if s.id == node && s.voter {
			return wire.Majority(e.votes()-1) >= wire.Majority(min(e.votes(), e.pledged))
		}
	}
	return true
}
