package lease

import (
	"time"

	"github.com/hashicorp/raft"

	"shoal/wire"
)

// standing is the leader's knowledge of one node.
type standing struct {
	at        int64  // log time it has applied; 0 = not reported in this term
	until     int64  // the end of its lease, with some slack
	given     int64  // the same for leases that this term has granted
	heard     int64  // when its lease was last renewed, or the term began
	echo      int64  // a moment at which it was in this term, 0 = unknown
	told      int64  // the watermark that was sent to it
	pushed    bool   // a push is under way
	carriedAt int64  // when a heartbeat last carried something to it, 0 = never
	carried   Answer // what the next one carries: the answer to its report
	spoken    int64  // when that was given
	index     uint64 // raft index it has applied
	spoke     int64  // when it reported last, 0 = not in this term
	kept      int64  // since when it has been keeping up (see KeepingUp), 0 = it does not
	pace      pace
}

// Silent tells whether a node does not report to this one: the former leader until it has
// reported in this term, and any node that has missed several reports. It returns false for a
// node that is not known.
func (t *Table) Silent(node wire.NodeID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.nodes[node]
	return s != nil && t.silent(node, s)
}

func (t *Table) silent(node wire.NodeID, s *standing) bool {
	if s.spoke == 0 && node == t.cfg.Predecessor {
		return true
	}
	return t.now()-max(s.spoke, t.began) >= int64(t.cfg.FormerLength)/2
}

// Successor is the most advanced voter among those that answer.
func (t *Table) Successor() (next raft.Server, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var best *standing
	for _, server := range t.cfg.Servers() {
		s := t.nodes[wire.NodeID(server.ID)]
		if server.Suffrage != raft.Voter || s == nil || t.silent(wire.NodeID(server.ID), s) {
			continue
		}
		if best == nil || s.index > best.index {
			next, best = server, s
		}
	}
	return next, best != nil
}

// Lags is how many entries each node that has reported in this term is behind.
func (t *Table) Lags(applied uint64) map[wire.NodeID]uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make(map[wire.NodeID]uint64, len(t.nodes))
	for id, s := range t.nodes {
		if s.spoke > 0 {
			out[id] = applied - min(applied, s.index)
		}
	}
	return out
}

// KeepingUp records since when each node has been close to the leader's log. Like every
// measure of slowness it uses fractions of FormerLength, so that shorter leases do not deny
// a vote to a node for a pause that was acceptable before.
func (t *Table) KeepingUp(last, maxLag uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	for _, s := range t.nodes {
		switch {
		case s.spoke == 0 || now-s.spoke >= 4*int64(t.cfg.FormerLength) || s.index+maxLag < last:
			s.kept = 0
		case s.kept == 0:
			s.kept = now
		}
	}
}

// Health is what a plan of the votes needs to know of a node (see package voters).
type Health struct {
	Silent time.Duration // for which it has not reported
	Kept   time.Duration // for which it has kept up, 0 = it does not
}

// Health describes this node and those that it knows, as of now.
func (t *Table) Health() map[wire.NodeID]Health {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	all := map[wire.NodeID]Health{t.cfg.Node: {Kept: time.Duration(now) + 1}}
	for id, s := range t.nodes {
		h := Health{Silent: time.Duration(now - max(s.spoke, s.heard))}
		if s.kept != 0 {
			h.Kept = time.Duration(now-s.kept) + 1
		}
		all[id] = h
	}
	return all
}
