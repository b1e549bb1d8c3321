package consensus

import (
	"slices"
	"sync"

	"github.com/hashicorp/raft"

	"shoal/wire"
)

// Leases of former terms. A new leader may count them as over when they are, and not only
// a lease after its own beginning: the election took most of that time already.
//
// A lease ends at most Config.Lease after a proof, a moment at which a majority of the
// voters was in the term of the leader that granted it. Each voter of that majority other
// than the leader had heard from it by then, in an answer to a report: the proof is no
// later than that answer. A majority of the new leader's voters that is in the new term
// has a voter in common with it, and who is in the new term is no part of a later proof.
// So no proof is later than the moment at which the last of such a majority heard from a
// former leader, or ceased to lead. Each report tells the new leader how long ago that was
// (Report.Quiet), by the clock of the node that reports; a process that was started since
// then says when. The rates of clocks may differ by a tenth, as for leases.
//
// Two majorities have a voter in common when the sets of voters differ by one at most,
// which is as much as one change does. A leader that has missed more than one had no
// majority any more when the first of them was committed: its last proof is older than
// the newest change that was applied here (docs/adr/0003).

// contact is when this node heard from leaders, in nanoseconds since the group was opened.
type contact struct {
	mu     sync.Mutex
	term   uint64 // the newest that answered a report
	at     int64  // when it did last
	before int64  // when one of an older term did, or this node ceased to lead
}

// hear notes an answer of the leader of a term.
func (c *contact) hear(term uint64, now int64) {
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

// ceased notes the end of a term of this node.
func (c *contact) ceased(now int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.before = now
}

// quiet is how long this node, which is in a term, has not supported a leader of an older
// one, or 0 if that is unknown.
func (c *contact) quiet(term uint64, now int64) int64 {
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

// former is what a new leader finds out about the leases of those before it.
type former struct {
	length  int64 // of a lease of theirs, and a little more
	changed int64 // when a change of the voters was applied last
	voters  []wire.NodeID
	moments map[wire.NodeID]int64 // at which each had ceased to be part of a proof
}

// formerLeases begins with this node; servers are the members of the group.
func (g *Group) formerLeases(servers []raft.Server, term uint64, length, now int64) former {
	f := former{length: length, changed: g.configured.Load(), moments: map[wire.NodeID]int64{}}
	for _, s := range servers {
		if s.Suffrage == raft.Voter {
			f.voters = append(f.voters, wire.NodeID(s.ID))
		}
	}
	f.moments[g.cfg.NodeID] = now - g.contact.quiet(term, now)
	return f
}

// learn takes what a node in the new term said, at a moment. ok is true once a majority
// has said so; then the result is the moment at which their leases are over.
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
