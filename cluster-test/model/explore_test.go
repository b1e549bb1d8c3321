package model

import (
	"errors"
	"testing"
)

const exploredNodes, exploredEntries = 3, 2

// part is what is explored together, as in docs/model/run.sh.
type part struct {
	name                    string
	terms                   uint64
	drains, forgets, leases bool
}

var (
	drains  = part{name: "DRAINS TERMS=4", terms: 4, drains: true}
	forgets = part{name: "FORGETS", terms: 2, forgets: true}
	leases  = part{name: "LEASES", terms: 2, leases: true}
)

// TestTheModelHoldsInEveryState explores each part in full. The numbers of states are those
// that spin counts for cluster.pml: `make check-model` compares them.
func TestTheModelHoldsInEveryState(t *testing.T) {
	for _, c := range []struct {
		part
		states int
	}{{drains, 1246857}, {forgets, 172749}, {leases, 1458585}} {
		states, err := c.explore(Faults{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if states != c.states {
			t.Errorf("%s has %d states, spin counts %d", c.name, states, c.states)
		}
		t.Logf("holds: %s (%d states)", c.name, states)
	}
}

// TestPlantedFaultsAreFoundInTheModel: what would not find them would not find much.
func TestPlantedFaultsAreFoundInTheModel(t *testing.T) {
	for _, c := range []struct {
		part
		name   string
		faults Faults
	}{
		{drains, "ONE_VOTE", Faults{OneVote: true}}, {drains, "OLD_TERM", Faults{OldTerm: true}},
		{leases, "SHOW_EARLY", Faults{ShowEarly: true}}, {leases, "LEASE_FORGOT", Faults{LeaseForgot: true}},
		{forgets, "NO_GUARD", Faults{NoGuard: true}}, {forgets, "NO_RECALL", Faults{NoRecall: true}},
	} {
		if states, err := c.explore(c.faults); err == nil {
			t.Errorf("%s was not found in %d states", c.name, states)
		}
	}
}

// explore goes through all states, and stops at the first in which something does not hold.
// Spin counts one state more: before the nodes run.
func (p part) explore(faults Faults) (states int, err error) {
	s := &State{Nodes: make([]Node, exploredNodes), Votes: make([]bool, exploredNodes), Offices: []Office{{-1, 0}}, Pledged: exploredNodes, Faults: faults}
	for n := range s.Nodes {
		s.Nodes[n].Up, s.Votes[n] = true, true
	}
	to := s.encode(nil)
	queue := []string{string(to)}
	seen := map[string]bool{queue[0]: true}
	moves := p.moves()
	for len(queue) > 0 {
		from := queue[0]
		queue = queue[1:]
		for _, move := range moves {
			s.decode(from)
			err := move(s)
			if err == nil {
				err = s.Check(0)
			}
			switch {
			case errors.As(err, new(Broken)):
				return len(seen) + 1, err
			case err != nil:
				continue
			}
			if to = s.encode(to); !seen[string(to)] {
				key := string(to)
				seen[key] = true
				queue = append(queue, key)
			}
		}
	}
	return len(seen) + 1, nil
}

// idle is a move that the state does not allow.
const idle = Guard("not now")

// moves are the proctype of cluster.pml: the steps, and which of them come together. An
// election also ends the term before, and a leader sends its whole log at once.
func (p part) moves() (all []func(*State) error) {
	leader := func(s *State) (l int, leads bool) {
		l = s.office(s.Newest).Leader
		return l, l >= 0 && s.serves(l)
	}
	led := func(f func(s *State, l int) error) {
		all = append(all, func(s *State) error {
			if l, ok := leader(s); ok {
				return f(s, l)
			}
			return idle
		})
	}
	for n := range exploredNodes {
		all = append(all, func(s *State) error {
			if s.Nodes[n].Ended {
				return idle
			}
			s.Nodes[n].Up = !s.Nodes[n].Up
			return nil
		}, func(s *State) error {
			if l := s.office(s.Newest).Leader; s.Newest == p.terms || !s.serves(n) || !s.Votes[n] || l == n {
				return idle
			}
			return s.stand(n)
		})
		led(func(s *State, l int) error {
			if n == l || !s.serves(n) {
				return idle
			}
			return s.replicate(l, n)
		})
		led(func(s *State, l int) error {
			m, of := &s.Nodes[n], &s.Nodes[l]
			if i := len(m.Did); n == l || m.Term != of.Term || i >= len(of.Did) || !m.holds(i, of.Log[i]) {
				return idle
			}
			return s.Apply(n)
		})
		if p.leases {
			led(func(s *State, l int) error { return s.Lease(n, s.Newest, s.Newest) })
			all = append(all, func(s *State) error { return s.Expire(n) }, func(s *State) error { return s.Uncount(n, s.Newest) })
		}
		if p.forgets {
			all = append(all, func(s *State) error {
				if s.Forgot || s.office(s.Newest).Leader == n {
					return idle
				}
				return s.Forget(n, nil)
			})
		}
	}
	led(func(s *State, l int) error {
		if len(s.Nodes[l].Log) == exploredEntries {
			return idle
		}
		s.Batch = 1 - s.Batch
		return s.Append(l, Entry{Term: s.Newest, ID: 1 - s.Batch})
	})
	led(func(s *State, l int) error {
		if err := s.Commit(s.Newest, len(s.Nodes[l].Did)); err != nil {
			return err
		}
		return s.Apply(l)
	})
	if p.leases {
		led(func(s *State, _ int) error { return s.Show(s.Newest, s.Shown+1) })
	}
	if p.drains {
		led(func(s *State, l int) error {
			if s.Drained {
				return idle
			}
			s.Drained = true
			if s.Faults.OneVote {
				s.Votes[2], s.Votes[0], s.Votes[1] = false, l == 0, l != 0
			}
			return nil
		})
	}
	return all
}

// stand has c ask all that it can reach for their votes.
func (s *State) stand(c int) error {
	s.Nodes[c].Term = s.Newest + 1
	for v := range s.Nodes {
		if s.Votes[v] && s.serves(v) {
			_ = s.Vote(v, c, s.Newest+1) // who cannot, does not
		}
	}
	if err := s.Elect(c); err != nil {
		return err
	}
	for v := range s.Nodes {
		if m := &s.Nodes[v]; s.Votes[v] && s.serves(v) {
			m.Term, m.Voted = s.Newest, Ballot{}
		}
	}
	return nil
}

// replicate sends the whole log of l to f. If f has applied what l does not have it ends; if
// the log of l just ends before that, l ends too.
func (s *State) replicate(l, f int) error {
	m, of := &s.Nodes[f], &s.Nodes[l]
	m.Term = of.Term
	at := 0
	for at < len(m.Log) && of.holds(at, m.Log[at]) {
		at++
	}
	if at < len(m.Did) && !s.Faults.NoGuard {
		m.Ended, m.Up, m.Lease = true, false, false
		if len(of.Log) <= at {
			of.Ended, of.Up, of.Lease = true, false, false
		}
		return nil
	}
	if at < len(m.Log) && at < len(of.Log) {
		if err := s.Truncate(f, at); err != nil {
			return err
		}
	}
	return s.Receive(f, of.Log[min(at, len(of.Log)):])
}
