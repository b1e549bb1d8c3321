package model

import (
	"math"
	"slices"
)

// The steps. Each returns a Guard if it cannot be taken, and then the state is as before;
// or Broken if it can and something does not hold afterwards.

// nothing is the place before which all applied entries are: Check looks at leases only.
const nothing = math.MaxInt

// Adopt makes a term that of n.
func (s *State) Adopt(n int, term uint64) error {
	if m := &s.Nodes[n]; !s.serves(n) || term < m.Term {
		return Guard("a term goes back, or that of a node changes which does not serve")
	}
	s.Nodes[n].Term = term
	return nil
}

// Vote gives the vote of v to c in a term. A vote for a node that has gone on to a later
// term counts for nothing.
func (s *State) Vote(v, c int, term uint64) error {
	voter, candidate := &s.Nodes[v], &s.Nodes[c]
	switch last := voter.Voted; {
	case !s.serves(v):
		return Guard("a node votes that does not serve")
	case voter.Term > term, candidate.Term < term:
		return Guard("a vote is of another term than its voter or its candidate")
	case last.Term > term || last.Term == term && last.For != c:
		return Guard("a node votes twice in a term")
	case candidate.Term == term && newer(voter.Log, candidate.Log):
		return Guard("the log of the voter is newer than that of the candidate")
	}
	voter.Voted = Ballot{term, c}
	if candidate.Term == term && !slices.Contains(s.Polls[term], v) {
		if s.Polls == nil {
			s.Polls = map[uint64][]int{}
		}
		s.Polls[term] = append(s.Polls[term], v)
	}
	return nil
}

// Elect makes c the leader of its term, for which it has the votes of a majority.
func (s *State) Elect(c int) error {
	m := &s.Nodes[c]
	if !s.serves(c) || s.office(m.Term).Leader >= 0 {
		return Guard("the term has a leader, or who would lead does not serve")
	}
	if yes, need := s.tally(c, s.config(c), func(v int) bool { return slices.Contains(s.Polls[m.Term], v) }); yes < need {
		return Guard("less than a majority has voted for the leader")
	}
	delete(s.Polls, m.Term)
	for uint64(len(s.Offices)) <= m.Term {
		s.Offices = append(s.Offices, Office{Leader: -1})
	}
	floor := len(m.Log)
	for floor > 0 && m.Log[floor-1].Silent {
		floor--
	}
	s.Offices[m.Term] = Office{c, floor}
	if m.Term < s.Newest {
		return nil // the others know better
	}
	s.Newest = m.Term
	for n := range s.Nodes {
		s.Nodes[n].Follows = n == c
		if s.Faults.LeaseForgot {
			s.Nodes[n].Counted = false
		}
	}
	return nil
}

// Append adds an entry of its own term to the log of a leader.
func (s *State) Append(l int, e Entry) error {
	if !s.leads(l) || e.Term != s.Nodes[l].Term {
		return Guard("who makes an entry does not lead its term")
	}
	s.Nodes[l].store(e, s.Voters[e] != nil)
	return nil
}

func (m *Node) store(e Entry, config bool) {
	if config {
		m.Configs = append(m.Configs, len(m.Log))
	}
	m.Log = append(m.Log, e)
}

// Truncate removes the end of the log of f, where the leader of its term has others.
func (s *State) Truncate(f, from int) error {
	m, l := &s.Nodes[f], s.office(s.Nodes[f].Term).Leader
	if !s.serves(f) || l < 0 || l == f {
		return Guard("entries are removed without a leader that has others")
	}
	if leader := &s.Nodes[l]; s.sends(l, m.Term) && (from >= len(leader.Log) || leader.holds(from, m.Log[from])) {
		return Guard("entries are removed that the leader does not contradict")
	}
	if from < len(m.Did) && !s.Faults.NoGuard {
		return Broken("an applied entry is replaced")
	}
	m.Log = m.Log[:from]
	for len(m.Configs) > 0 && m.Configs[len(m.Configs)-1] >= from {
		m.Configs = m.Configs[:len(m.Configs)-1]
	}
	return nil
}

// sends tells whether the leader of a term still leads it, so that what it sends is in its
// log. A message of a leader that has ended, was put back or went on to a later term may
// arrive when its log holds other entries.
func (s *State) sends(l int, term uint64) bool { return s.leads(l) && s.Nodes[l].Term == term }

// Receive adds entries of the leader of its term to the log of f.
func (s *State) Receive(f int, entries []Entry) error {
	m, l := &s.Nodes[f], s.office(s.Nodes[f].Term).Leader
	if !s.serves(f) || l < 0 || l == f {
		return Guard("entries come without a leader that sends them")
	}
	for i, e := range entries {
		if s.sends(l, m.Term) && !s.Nodes[l].holds(len(m.Log)+i, e) {
			return Guard("entries come that the leader does not have")
		}
	}
	for _, e := range entries {
		m.store(e, s.Voters[e] != nil)
	}
	if m.Follows || m.Term != s.Newest {
		return nil
	}
	m.Follows = true
	return s.Check(0)
}

// Commit makes entry i of the log of the leader of a term a part of what is agreed on: a
// majority has it and an entry of this term.
func (s *State) Commit(term uint64, i int) error {
	l := s.office(term).Leader
	if l < 0 || i >= len(s.Nodes[l].Log) {
		return Guard("nobody leads who has the entry")
	}
	log := s.Nodes[l].Log
	if !s.agreed(l, term, i) {
		return Guard("less than a majority has the entry and one of the leader's term")
	}
	disks := 0
	for n := range s.Nodes {
		if s.Nodes[n].holds(i, log[i]) {
			disks++
		}
	}
	if disks < majority(s.Pledged) {
		return Broken("an acknowledged entry is on fewer disks than the cluster keeps votes for")
	}
	switch {
	case i < len(s.Ack) && s.Ack[i] != log[i] && !s.Blind:
		return Broken("an acknowledged entry is replaced")
	case i == len(s.Ack):
		s.Ack = append(s.Ack, log[i])
	}
	return nil
}

// agreed tells whether a majority has an entry of a term that is no earlier than place i of
// the log of its leader. Which configuration counted at that moment a trace does not tell.
func (s *State) agreed(l int, term uint64, i int) bool {
	m := &s.Nodes[l]
	for at := i; at < len(m.Log); at++ {
		if m.Log[at].Term != term && !s.Faults.OldTerm {
			continue
		}
		has := func(v int) bool { return s.Nodes[v].holds(at, m.Log[at]) }
		for k := len(m.Configs) - 1; k >= 0; k-- {
			if yes, need := s.tally(l, m.Configs[k], has); yes >= need {
				return true
			}
			if m.Configs[k] <= i {
				break
			}
		}
		if len(m.Configs) == 0 {
			if yes, need := s.tally(l, -1, has); yes >= need {
				return true
			}
		}
	}
	return false
}

// Apply applies the next entry of the log of n, which was committed.
func (s *State) Apply(n int) error {
	m := &s.Nodes[n]
	i := len(m.Did)
	switch {
	case !s.serves(n) || i >= len(m.Log):
		return Guard("a node applies what it does not have")
	case !s.Blind && (i >= len(s.Ack) || s.Ack[i] != m.Log[i]):
		return Guard("a node applies what was not committed")
	}
	m.Did = append(m.Did, m.Log[i])
	m.Known, m.Had = len(m.Did), max(m.Had, len(m.Did))
	return s.Check(i)
}

// Lease gives n a lease of the leader of a term: newest was the newest term that had a
// leader when a majority was last known to be in this one. The node itself may not have heard
// of the term yet: it reports before the leader's entries reach it.
func (s *State) Lease(n int, term, newest uint64) error {
	m, o := &s.Nodes[n], s.office(term)
	switch {
	case !s.serves(n) || o.Leader < 0:
		return Guard("a lease comes from nobody who leads, or to a node that does not serve")
	case newest > term:
		return Guard("a lease comes from an old leader")
	case s.leads(o.Leader) && s.Nodes[o.Leader].Term == term && !s.Nodes[o.Leader].reaches(o.Floor):
		return Guard("a leader leases before it has applied what others may have shown")
	case !m.reaches(o.Floor) || len(m.Did) < s.Shown:
		return Guard("a node gets a lease that has not applied what may have been shown")
	}
	m.Lease, m.Counted, m.Granted = true, true, term
	return nil
}

// Expire ends the lease of n at the node itself.
func (s *State) Expire(n int) error {
	if !s.Nodes[n].Lease {
		return Guard("there is no lease that could end")
	}
	s.Nodes[n].Lease = false
	return nil
}

// Uncount ends the lease of n at the leader of a term. Leases of later terms are none of
// its business.
func (s *State) Uncount(n int, term uint64) error {
	if m := &s.Nodes[n]; !m.Counted || m.Lease && m.Granted <= term {
		return Guard("a leader does not count a lease that has not ended")
	}
	s.Nodes[n].Counted = false
	return nil
}

// Show lets the leader of a term show the ends of so many entries.
func (s *State) Show(term uint64, upto int) error {
	o := s.office(term)
	if o.Leader < 0 || !s.Nodes[o.Leader].reaches(max(o.Floor, upto)) {
		return Guard("an end is shown that the leader has not applied")
	}
	for n := range s.Nodes {
		if m := &s.Nodes[n]; m.Counted && m.Granted <= term && max(m.Had, len(m.Did)) < upto && !s.Faults.ShowEarly {
			return Guard("an end is shown that a leased node has not applied")
		}
	}
	s.Shown = max(s.Shown, upto)
	return s.Check(nothing)
}

// Forget puts an older log in the place of that of n, which starts. It ends if a node that
// serves remembers more of it.
func (s *State) Forget(n int, older []Entry) error {
	m := &s.Nodes[n]
	if len(m.Log) == 0 || m.Ended {
		return Guard("there is nothing to forget")
	}
	told := false
	for j := range s.Nodes {
		told = told || j != n && s.serves(j) && m.Known > len(older)
	}
	s.Forgot, s.Blind = true, s.Blind || !told
	m.Log, m.Did, m.Configs = older, nil, nil
	m.Follows, m.Lease, m.Counted = false, false, false
	m.Ended = told && !s.Faults.NoRecall
	m.Up = !m.Ended
	return s.Check(0)
}
