package consensus

import (
	"fmt"
	"testing"
	"time"
)

func TestPlanVoters(t *testing.T) {
	cfg := &MembershipConfig{PromoteAfter: 10 * time.Second, DeadAfter: 5 * time.Minute, MaxVoters: 5}
	const ready, dead = 11 * time.Second, 6 * time.Minute
	server := func(n int, voter bool, change ...func(*serverState)) serverState {
		s := serverState{id: nodeName(n), voter: voter, capable: true, kept: ready}
		for _, c := range change {
			c(&s)
		}
		return s
	}
	self := func(s *serverState) { s.self = true }
	gone := func(s *serverState) { s.silent, s.kept = dead, 0 }
	away := func(s *serverState) { s.silent, s.kept = time.Minute, 0 }
	behind := func(s *serverState) { s.kept = 0 }
	early := func(s *serverState) { s.kept = time.Second }
	draining := func(s *serverState) { s.capable = false }
	tests := []struct {
		name    string
		servers []serverState
		want    string
	}{
		{"alone", []serverState{server(0, true, self)}, ""},
		{"two nodes keep one voter", []serverState{server(0, true, self), server(1, false)}, ""},
		{"three make three", []serverState{server(0, true, self), server(1, false), server(2, false)}, "promote node-1"},
		{"and go on", []serverState{server(0, true, self), server(1, true), server(2, false)}, "promote node-2"},
		{"who is behind waits", []serverState{server(0, true, self), server(1, false, behind), server(2, false)}, "promote node-2"},
		{"who came just now waits", []serverState{server(0, true, self), server(1, false, early), server(2, false, early)}, ""},
		{"four keep three", []serverState{server(0, true, self), server(1, true), server(2, true), server(3, false)}, ""},
		{"five make five", []serverState{server(0, true, self), server(1, true), server(2, true), server(3, false), server(4, false)}, "promote node-3"},
		{"away is not dead", []serverState{server(0, true, self), server(1, true, away), server(2, true), server(3, false)}, ""},
		{"the dead are replaced", []serverState{server(0, true, self), server(1, true, gone), server(2, true), server(3, false)}, "promote node-3"},
		{"then demoted", []serverState{server(0, true, self), server(1, true, gone), server(2, true), server(3, true)}, "demote node-1"},
		{"never dropped without a successor", []serverState{server(0, true, self), server(1, true, gone), server(2, true)}, ""},
		{"draining voters are replaced", []serverState{server(0, true, self), server(1, true, draining), server(2, true), server(3, false)}, "promote node-3"},
		{"and demoted", []serverState{server(0, true, self), server(1, true, draining), server(2, true), server(3, true)}, "demote node-1"},
		{"three become one when two drain", []serverState{server(0, true, self), server(1, true, draining), server(2, true, draining)}, "demote node-2"},
		{"a draining leader hands over", []serverState{server(0, true, self, draining), server(1, true)}, "hand over node-0"},
	}
	for _, test := range tests {
		move, got := planVoters(test.servers, cfg), ""
		if move.node != "" {
			got = fmt.Sprintf("%s %s", move.what, move.node)
		}
		if got != test.want {
			t.Errorf("%s: %q instead of %q", test.name, got, test.want)
		}
	}
}

func TestCommitTimeoutGrowsWithMembers(t *testing.T) {
	for members, want := range map[int]time.Duration{
		1: 5 * time.Millisecond, 5: 10 * time.Millisecond, 100: 50 * time.Millisecond,
	} {
		if got := commitTimeout(members); got != want {
			t.Errorf("%d members: %s", members, got)
		}
	}
}
