package model

import (
	"slices"
	"sort"
)

// leased: the lease is of a moment at which a majority was in the term of the leader, at
// most the length of a lease before its end.
func (r *Replay) leased(e *Event, n int) error {
	if e.Until <= e.At {
		return r.step("lease that came too late", nil)
	}
	newest := r.State.Newest
	for newest > e.Term && (r.State.office(newest).Leader < 0 || r.office[newest] > e.Until-r.lease) {
		newest--
	}
	if err := r.step("lease", r.State.Lease(n, e.Term, newest)); err != nil {
		return err
	}
	r.nodes[n].until = max(r.nodes[n].until, e.Until)
	return nil
}

func (r *Replay) shown(e *Event, n int) error {
	s := r.State
	if s.office(e.Term).Leader != n {
		return Guard("who shows ends does not lead")
	}
	upto := sort.Search(len(r.times), func(i int) bool { return r.times[i] > e.Time })
	if upto == len(r.times) && (upto == 0 || r.times[upto-1] < e.Time) {
		return Guard("an end is shown that was not committed")
	}
	for upto > 0 && s.Ack[upto-1].Silent {
		upto--
	}
	for o := range r.nodes {
		m := &s.Nodes[o]
		switch {
		case o == n || m.Granted > e.Term:
		case slices.Contains(e.Counted, r.nodes[o].id):
			m.Counted = true
		case m.Counted:
			if err := r.step("lease is over at the leader", s.Uncount(o, e.Term)); err != nil {
				return err
			}
		}
	}
	if err := r.step("show", s.Show(e.Term, upto)); err != nil {
		return err
	}
	r.shows = append(r.shows, shown{e.At, s.Shown})
	return nil
}

// told compares what a client was told with the state.
func (r *Replay) told(e *Event, n int) error {
	s := r.State
	switch e.Kind {
	case Accepted:
		if i, ok := r.tasks[e.Task]; !ok || i >= len(s.Ack) {
			return Guard("a task was acknowledged that was not committed")
		}
	case Seen:
		if i, ok := r.ends[e.Task]; !ok || i >= s.Shown {
			return Guard("a client has seen an end that was not shown")
		}
	case Answered:
		i := sort.Search(len(r.shows), func(i int) bool { return r.shows[i].at > e.Since })
		if r.nodes[n].until <= e.Since || i > 0 && len(s.Nodes[n].Did) < r.shows[i-1].upto {
			return Guard("a node answered without a lease, or without what was shown before")
		}
	default:
		return Guard("nobody knows this kind of event")
	}
	return r.step(string(e.Kind), nil)
}
