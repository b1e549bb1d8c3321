package lease

import (
	"slices"
	"sync"

	"shoal/wire"
)

// Leases of former terms. A new leader may count them as over when they really are, instead
// of waiting for a whole lease after the beginning of its term: the election has already
// taken most of that time.
//
// A lease ends at most Config.Length after a proof: a moment at which a majority of the
// voters was in the term of the granting leader. Each voter of that majority, except the
// leader, had heard from the leader by then, in an answer to a report, so the proof is no
// later than that answer. A majority of the new leader's voters that is in the new term
// shares a voter with it, and a voter in the new term takes no part in a later proof. So no
// proof is later than the moment at which the last node of such a majority heard from a
// former leader, or ceased to lead. Each report tells the new leader how long ago that was
// (Report.Quiet), by the clock of the reporting node; a process that started later reports
// its start. The rates of clocks may differ by a tenth, as for leases.
//
// Two majorities share a voter if the sets of voters differ by at most one, which is as
// much as one change does. A leader that has missed more than one change had no majority
// any more when the first of them was committed, so its last proof is older than the newest
// change applied here (docs/adr/0003).

// Contact records when this node heard from leaders, in nanoseconds since the group was
// opened.
type Contact struct {
	mu     sync.Mutex
	term   uint64 // the newest term whose leader answered a report
	at     int64  // time of its last answer
	before int64  // time of the last answer of an older term, or when this node ceased to lead
}

// Hear records an answer of a term's leader.
func (c *Contact) Hear(term uint64, now int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case term > c.term:
		c.before = max(c.before, c.at)
		c.term, c.at = term, now
	case term == c.term:
		c.at = now
	default:
		c.before = now
	}
}

// Ceased records that this node has ceased to lead.
func (c *Contact) Ceased(now int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.before = now
}

// Quiet returns the time since this node last supported a leader of a term older than term,
// or 0 if that is unknown.
func (c *Contact) Quiet(term uint64, now int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.before
	switch {
	case c.term > term:
		return 0
	case c.term < term:
		last = max(last, c.at)
	}
	return now - last
}

// former is a new leader's knowledge of former leases.
type former struct {
	length  int64 // of a former lease, with some slack
	changed int64 // when the last change of the voters was applied
	voters  []wire.NodeID
	moments map[wire.NodeID]int64 // when each voter had ceased to be part of a proof
}

func newFormer(voters []wire.NodeID, length, changed int64) former {
	return former{length: length, changed: changed, voters: voters, moments: map[wire.NodeID]int64{}}
}

// learn records what a node in the new term reported. ok is true once a majority has
// reported; then until is the moment at which former leases are over.
func (f *former) learn(node wire.NodeID, quiet, now int64) (until int64, ok bool) {
	if !slices.Contains(f.voters, node) || quiet <= 0 {
		return 0, false
	}
	moment, known := f.moments[node]
	if !known || now-quiet < moment {
		f.moments[node] = now - quiet
	}
	var moments []int64
	for _, id := range f.voters {
		if at, told := f.moments[id]; told {
			moments = append(moments, at)
		}
	}
	need := len(f.voters)/2 + 1
	if len(moments) < need {
		return 0, false
	}
	slices.Sort(moments)
	return max(moments[need-1], f.changed) + f.length, true
}
