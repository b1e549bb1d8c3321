package voters

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"shoal/api/apierr"
	"shoal/wire"
)

// Rules configure the plan. Zero values mean zero: consensus.Config has the defaults.
type Rules struct {
	// PromoteAfter is how long a node must have kept up before it becomes a voter. A negative
	// value means immediately.
	PromoteAfter time.Duration
	// DeadAfter is how long a voter must be silent before another node takes its place.
	DeadAfter time.Duration
	// ReplaceAfter is how long a member must be silent before a node with its name at another
	// address takes its place.
	ReplaceAfter time.Duration
	// MaxVoters is 1, 3 or 5.
	MaxVoters int
}

// Member describes one member of the group for a plan.
type Member struct {
	ID       wire.NodeID
	Name     string
	Voter    bool
	Self     bool
	Eligible bool          // its operator lets it vote (no --no-voter)
	Draining bool          // gets no vote any more, and keeps the one that it has
	Zone     string        // "" for all members while zones do not count
	Silent   time.Duration // since its last report
	Kept     time.Duration // for which it has kept up, 0 = it does not
}

// Electorate is all members, by id, and the number of votes that the log records, 0 if
// it records none yet.
type Electorate struct {
	Members []Member
	Pledged int
}

// Move is one change of the set of voters.
type Move struct {
	What  Kind
	Node  wire.NodeID
	Votes int // of Pledge
}

// Kind is what a Move does.
type Kind uint8

const (
	Keep     Kind = iota // nothing to do
	Pledge               // record how many votes the cluster keeps
	Promote              // give a vote
	Demote               // take a vote
	HandOver             // the leader itself must go: the next leader demotes it
)

// String names the kind for log lines.
func (k Kind) String() string {
	return [...]string{"keep", "pledge", "promote", "demote", "hand over"}[k]
}

// sound voters count towards the goal. A voter that was started with --no-voter or has been
// silent for long keeps its vote until another node has one instead.
func (s *Member) sound(cfg *Rules) bool {
	return s.Eligible && s.Silent < cfg.DeadAfter
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

// goal returns the number of votes to aim for: as many as the number of members calls for, and
// no fewer than the cluster keeps.
func (e *Electorate) goal(cfg *Rules) int {
	return max(e.wanted("", cfg), min(e.Pledged, cfg.MaxVoters))
}

// wanted returns the number of votes that suits the eligible members without one of them.
func (e *Electorate) wanted(without wire.NodeID, cfg *Rules) int {
	eligible := 0
	for _, s := range e.Members {
		if s.Eligible && s.ID != without {
			eligible++
		}
	}
	return goalOf(eligible, cfg.MaxVoters)
}

func (e *Electorate) votes() int {
	votes := 0
	for _, s := range e.Members {
		if s.Voter {
			votes++
		}
	}
	return votes
}

// Next decides the next step towards the goal.
func (e *Electorate) Next(cfg *Rules) Move {
	goal, votes, sound := e.goal(cfg), e.votes(), 0
	for _, s := range e.Members {
		if s.Voter && s.sound(cfg) {
			sound++
		}
	}
	if had := min(votes, goal); e.Pledged < had {
		return Move{What: Pledge, Votes: had} // there was no record, or no time to write it
	}
	if votes > goal {
		return e.dismissal(cfg)
	}
	next := e.successor(cfg.PromoteAfter, cfg)
	switch {
	case next == nil || sound >= goal && !e.lopsided(next, cfg):
		return Move{}
	case votes+1 > e.Pledged && votes < goal:
		return Move{What: Pledge, Votes: votes + 1}
	}
	return Move{What: Promote, Node: next.ID}
}

// successor is a member that can take a vote: it has kept up for longer than after. Of
// several it is one in a zone with the fewest votes, the first by id.
func (e *Electorate) successor(after time.Duration, cfg *Rules) (next *Member) {
	for i := range e.Members {
		s := &e.Members[i]
		if s.Voter || !s.Eligible || s.Draining || s.Kept <= 0 || s.Kept <= after {
			continue
		}
		if next == nil || e.votesIn(s.Zone, cfg) < e.votesIn(next.Zone, cfg) {
			next = s
		}
	}
	return next
}

// votesIn counts the sound voters of a zone.
func (e *Electorate) votesIn(zone string, cfg *Rules) (votes int) {
	for i := range e.Members {
		if s := &e.Members[i]; s.Voter && s.Zone == zone && s.sound(cfg) {
			votes++
		}
	}
	return votes
}

// lopsided tells whether a zone has two votes more than the one of next. Only then does a
// vote move, and back it would not: afterwards the zones are at most one vote apart.
func (e *Electorate) lopsided(next *Member, cfg *Rules) bool {
	fewest := e.votesIn(next.Zone, cfg)
	return slices.ContainsFunc(e.Members, func(s Member) bool { return e.votesIn(s.Zone, cfg) >= fewest+2 })
}

// dismissal picks the voter to demote: the one with the highest misses; of several, one in
// the zone with the most votes, then the last by id. The leader comes last, and hands over
// first. Voters that do not answer go first, so the remaining ones are no fewer than a
// majority.
func (e *Electorate) dismissal(cfg *Rules) Move {
	var least *Member
	for i := range e.Members {
		s := &e.Members[i]
		if s.Voter && (least == nil || cmp.Or(cmp.Compare(s.misses(cfg), least.misses(cfg)),
			cmp.Compare(e.votesIn(s.Zone, cfg), e.votesIn(least.Zone, cfg))) >= 0) {
			least = s
		}
	}
	if least.Self {
		return Move{What: HandOver, Node: least.ID}
	}
	return Move{What: Demote, Node: least.ID}
}

func (s *Member) answers(cfg *Rules) bool { return s.Silent < cfg.ReplaceAfter }

// misses ranks voters by how little is lost with their vote.
func (s *Member) misses(cfg *Rules) int {
	switch {
	case s.Silent >= cfg.DeadAfter:
		return 5
	case !s.answers(cfg):
		return 4
	case !s.Eligible:
		return 3
	case s.Draining:
		return 2
	case !s.Self:
		return 1
	}
	return 0
}

// Removal decides what must happen before an operator's removal of a member: a
// promotion that hands its vote over, or nothing. votes is how many votes the cluster keeps
// once the member is gone. The error tells the operator why the member cannot be removed
// yet, and what to do.
func (e *Electorate) Removal(node wire.NodeID, cfg *Rules) (first Move, votes int, err error) {
	pledged := e.Pledged
	if pledged == 0 {
		pledged = min(e.votes(), e.goal(cfg))
	}
	votes = min(pledged, e.wanted(node, cfg))
	leaves, late := (*Member)(nil), (*Member)(nil)
	for i := range e.Members {
		switch s := &e.Members[i]; {
		case s.ID == node:
			leaves = s
		case !s.Voter && s.Eligible:
			late = s
		}
	}
	if leaves == nil || !leaves.Voter || e.votes()-1 >= votes {
		return Move{}, votes, nil
	}
	if next := e.successor(0, cfg); next != nil {
		return Move{What: Promote, Node: next.ID}, votes, nil
	}
	if late == nil { // it is the only member that may vote: the caller refuses
		return Move{}, votes, nil
	}
	why := "has not caught up with the log: try again in a moment, or remove it first if it will not come back"
	if late.Draining {
		why = "is being drained: call that off (DELETE /cluster/nodes/" + late.Name + "/drain), or remove it first"
	}
	return Move{}, votes, apierr.New(apierr.CodeBadRequest, fmt.Sprintf(
		"Node `%s` has one of %d votes, and no other node can take it over yet: `%s` %s.", leaves.Name, e.votes(), late.Name, why))
}

// Spares tells whether a member may be removed for a newcomer with its name. It may if
// every entry acknowledged meanwhile is on as many disks as before.
func (e *Electorate) Spares(node wire.NodeID) bool {
	for _, s := range e.Members {
		if s.ID == node && s.Voter {
			return wire.Majority(e.votes()-1) >= wire.Majority(min(e.votes(), e.Pledged))
		}
	}
	return true
}
