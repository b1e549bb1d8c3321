package model

import (
	"fmt"
	"strings"
	"time"
)

// Replay says which steps of the model a cluster took. Its zero value is not ready: see
// NewReplay.
type Replay struct {
	State *State
	// Steps counts the steps, by kind.
	Steps map[string]int

	lease  time.Duration
	number map[string]int
	nodes  []seen
	made   map[place]origin
	facts  map[Entry]*Logged
	office []time.Duration // when the leader of each term was elected
	times  []int64         // log times of what was committed
	tasks  map[uint32]int  // the entries that made them
	ends   map[uint32]int  // those that ended them
	shows  []shown
}

// seen is what a replay knows of a node besides its state.
type seen struct {
	id      string
	until   time.Duration // the end of its lease
	putBack bool
}

// place is where an entry stands in the log, and by whom.
type place struct{ index, term uint64 }

// origin is the entry there, and the term of the one before it.
type origin struct {
	entry  Entry
	before uint64
}

type shown struct {
	at   time.Duration
	upto int
}

// NewReplay begins before any node has started. No lease lasts longer than lease after a
// moment at which a majority was in the term of its leader.
func NewReplay(lease time.Duration) *Replay {
	return &Replay{
		State: &State{Offices: []Office{{-1, 0}}, Voters: map[Entry][]int{}}, Steps: map[string]int{}, lease: lease,
		number: map[string]int{}, made: map[place]origin{}, facts: map[Entry]*Logged{}, tasks: map[uint32]int{}, ends: map[uint32]int{},
	}
}

// Take explains the next event by steps of the model. An error says what no step explains:
// its text has the event and the state, and errors.As finds the Guard or Broken. The replay
// is of no use after one.
func (r *Replay) Take(e *Event) error {
	for n := range r.nodes {
		if r.State.Nodes[n].Lease && r.nodes[n].until <= e.At {
			if err := r.step("lease ends", r.State.Expire(n)); err != nil {
				return err
			}
		}
	}
	if err := r.explain(e, r.node(e.Node)); err != nil {
		return fmt.Errorf("no step of the model explains what happened after %s: %s %s: %w\n%+v\n%s", e.At, e.Node, e.Kind, err, *e, r.text())
	}
	return nil
}

// step counts a step that was taken.
func (r *Replay) step(kind string, err error) error {
	if err == nil {
		r.Steps[kind]++
	}
	return err
}

func (r *Replay) explain(e *Event, n int) error {
	switch e.Kind {
	case Started:
		return r.started(e, n)
	case Opened:
		return r.opened(n, int(e.Index))
	case Stopped:
		r.State.Nodes[n].Up = false
		return r.step("stop", nil)
	case PutBack:
		r.nodes[n].putBack = true
		return nil
	case Termed:
		return r.step("new term", r.State.Adopt(n, e.Term))
	case VotedFor:
		return r.step("vote", r.State.Vote(n, r.node(e.For), e.Term))
	case Stored:
		return r.stored(e, n)
	case Deleted:
		return r.deleted(e, n)
	case Applied:
		return r.applied(e, n)
	case Leased:
		return r.leased(e, n)
	case Shown:
		return r.shown(e, n)
	default:
		return r.told(e, n)
	}
}

// node is the number of a node, which is made when it is named first.
func (r *Replay) node(id string) int {
	n, known := r.number[id]
	if !known {
		n = len(r.nodes)
		r.number[id], r.nodes = n, append(r.nodes, seen{id: id})
		r.State.Nodes = append(r.State.Nodes, Node{})
	}
	return n
}

// text is the state, for people.
func (r *Replay) text() string {
	s := r.State
	var b strings.Builder
	fmt.Fprintf(&b, "newest term %d, leader %s; %d entries committed, %d shown; %d votes kept\n", s.Newest, r.name(s.office(s.Newest).Leader), len(s.Ack), s.Shown, s.Pledged)
	for n := range s.Nodes {
		m := &s.Nodes[n]
		fmt.Fprintf(&b, "%s: term %d, voted for %s in %d; log %d, the last %v; applied %d; up %t, ended %t, follows %t; lease %t of term %d until %s, counted %t\n",
			r.name(n), m.Term, r.name(m.Voted.For), m.Voted.Term, len(m.Log), m.Log[max(0, len(m.Log)-3):], len(m.Did), m.Up, m.Ended, m.Follows, m.Lease, m.Granted, r.nodes[n].until, m.Counted)
	}
	return b.String()
}

func (r *Replay) name(n int) string {
	if n < 0 {
		return "nobody"
	}
	return r.nodes[n].id
}
