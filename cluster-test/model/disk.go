package model

import "time"

// started compares the disk of a node with what it should hold. What was being written when
// the process before ended may be there or not.
func (r *Replay) started(e *Event, n int) error {
	m := &r.State.Nodes[n]
	if m.Up {
		return Guard("a node starts that runs")
	}
	if r.nodes[n].putBack {
		var older []Entry
		for i := range e.Entries {
			older = append(older, e.Entries[i].entry())
		}
		r.nodes[n].putBack = false
		return r.step("forget", r.State.Forget(n, older))
	}
	m.Up, m.Lease = true, false
	at := len(m.Log)
	if len(e.Entries) > 0 {
		at = int(e.Entries[0].Index) - 1
	}
	for len(e.Entries) > 0 && m.holds(at, e.Entries[0].entry()) {
		at, e.Entries = at+1, e.Entries[1:]
	}
	if at < len(m.Log) {
		if err := r.step("replicate", r.truncate(n, at)); err != nil {
			return err
		}
	}
	if err := r.stored(e, n); err != nil {
		return err
	}
	m = &r.State.Nodes[n]
	m.Resigned = m.Term
	if err := r.State.Adopt(n, e.Term); err != nil {
		return err
	}
	if e.For != "" && e.Voted > m.Voted.Term {
		return r.step("vote", r.State.Vote(n, r.node(e.For), e.Voted))
	}
	return r.step("start", nil)
}

// opened makes the state of a node what it is on its disk, or in a snapshot of the leader.
func (r *Replay) opened(n, applied int) error {
	m := &r.State.Nodes[n]
	if m.Ended {
		return nil
	}
	if applied < len(m.Did) {
		m.Did = m.Did[:applied]
	}
	for len(m.Log) < applied {
		if len(m.Log) >= len(r.State.Ack) {
			return Guard("a state has applied what was not committed")
		}
		e := r.State.Ack[len(m.Log)]
		m.store(e, r.State.Voters[e] != nil)
		r.Steps["snapshot"]++
	}
	return r.applyTo(n, applied)
}

// applyTo has n apply the entries up to a number of them.
func (r *Replay) applyTo(n, entries int) error {
	for i := len(r.State.Nodes[n].Did); i < entries; i++ {
		if i >= len(r.State.Ack) {
			if err := r.commit(i); err != nil {
				return err
			}
		}
		if err := r.step("apply", r.State.Apply(n)); err != nil {
			return err
		}
	}
	return nil
}

// commit finds the leader that committed an entry, the newest first.
func (r *Replay) commit(i int) error {
	var err error = Guard("nobody leads who could commit")
	for term := r.State.Newest; term > 0; term-- {
		if r.State.office(term).Leader < 0 {
			continue
		}
		if err = r.State.Commit(term, i); err == nil {
			break
		}
		if _, broken := err.(Broken); broken { //nolint:errorlint // a step wraps nothing
			break
		}
	}
	if err != nil {
		return err
	}
	fact, last := r.facts[r.State.Ack[i]], int64(0)
	if i > 0 {
		last = r.times[i-1]
	}
	if !fact.Silent {
		last = max(fact.Time, last+1)
	}
	if fact.Votes > 0 {
		r.State.Pledged = fact.Votes
	}
	r.times = append(r.times, last)
	return r.step("commit", nil)
}

// stored explains entries that are new in the log of a node.
func (r *Replay) stored(e *Event, n int) error {
	for i := range e.Entries {
		if err := r.store(&e.Entries[i], e.At, n); err != nil {
			return err
		}
	}
	return nil
}

func (r *Replay) store(l *Logged, at time.Duration, n int) error {
	s, m := r.State, &r.State.Nodes[n]
	if l.Index != uint64(len(m.Log))+1 {
		return Guard("an entry is stored that does not follow the last one")
	}
	entry, before := l.entry(), lastTerm(m.Log)
	if l.Voters != nil && s.Voters[entry] == nil {
		s.Voters[entry] = []int{}
		for _, id := range l.Voters {
			s.Voters[entry] = append(s.Voters[entry], r.node(id))
		}
		m = &s.Nodes[n]
	}
	was, known := r.made[place{l.Index, l.Term}]
	switch {
	case known && (was != origin{entry, before}):
		return Guard("two entries of one place and term differ, or what is before them")
	case l.Index == 1 && l.Voters != nil && l.Term == 1 && m.Term == 1: // all first members write it
		m.store(entry, true)
		r.Steps["begin"]++
	case known:
		return r.step("replicate", s.Receive(n, []Entry{entry}))
	default:
		if s.office(l.Term).Leader < 0 && l.Term == m.Term {
			if err := r.elected(n, at); err != nil {
				return err
			}
		}
		if err := r.step("append", s.Append(n, entry)); err != nil {
			return err
		}
	}
	r.made[place{l.Index, l.Term}], r.facts[entry] = origin{entry, before}, l
	return nil
}

// elected: who makes the first entry of a term was elected.
func (r *Replay) elected(n int, at time.Duration) error {
	if err := r.step("elect", r.State.Elect(n)); err != nil {
		return err
	}
	term := r.State.Nodes[n].Term
	for uint64(len(r.office)) <= term {
		r.office = append(r.office, 0)
	}
	r.office[term] = at
	return nil
}

func (r *Replay) deleted(e *Event, n int) error {
	m := &r.State.Nodes[n]
	if int(e.Last) < len(m.Log) {
		if int(e.Last) > len(m.Did) {
			return Guard("the beginning of the log is removed before it is applied")
		}
		return r.step("compact", nil)
	}
	return r.step("replicate", r.truncate(n, int(e.Index)-1))
}

func (r *Replay) truncate(n, from int) error {
	s := r.State
	if from < len(s.Ack) && s.Nodes[n].holds(from, s.Ack[from]) && !s.Blind {
		return Broken("an acknowledged entry is removed from a disk")
	}
	return s.Truncate(n, from)
}

func (r *Replay) applied(e *Event, n int) error {
	m := &r.State.Nodes[n]
	i := int(e.Index) - 1
	if i < len(m.Did) || !m.holds(i, e.Entries[0].entry()) {
		return Guard("a node applies an entry again, or one that is not in its log")
	}
	if !m.reaches(i) {
		return Guard("a node skips an entry")
	}
	if e.Made != nil {
		if _, known := r.tasks[*e.Made]; !known {
			r.tasks[*e.Made] = i
		}
	}
	for _, task := range e.Ended {
		r.ends[task] = i
	}
	return r.applyTo(n, i+1)
}
