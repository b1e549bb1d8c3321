package voters

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"shoal/wire"
)

var voterRules = &Rules{PromoteAfter: 10 * time.Second, DeadAfter: 5 * time.Minute, ReplaceAfter: 15 * time.Second, MaxVoters: 5}

func TestNext(t *testing.T) {
	const ready, dead = 11 * time.Second, 6 * time.Minute
	server := func(n int, voter bool, change ...func(*Member)) Member {
		s := Member{ID: wire.NodeID(fmt.Sprintf("node-%d", n)), Voter: voter, Eligible: true, Kept: ready}
		for _, c := range change {
			c(&s)
		}
		return s
	}
	self := func(s *Member) { s.Self = true }
	gone := func(s *Member) { s.Silent, s.Kept = dead, 0 }
	away := func(s *Member) { s.Silent, s.Kept = time.Minute, 0 }
	behind := func(s *Member) { s.Kept = 0 }
	early := func(s *Member) { s.Kept = time.Second }
	draining := func(s *Member) { s.Draining = true }
	barred := func(s *Member) { s.Eligible = false }
	in := func(zone string) func(*Member) { return func(s *Member) { s.Zone = zone } }
	tests := []struct {
		name    string
		votes   int // that the log records
		servers []Member
		want    string
	}{
		{"a new cluster records its votes", 0, []Member{server(0, true, self)}, "pledge 1"},
		{"alone", 1, []Member{server(0, true, self)}, ""},
		{"two make two, recorded first", 1, []Member{server(0, true, self), server(1, false)}, "pledge 2"},
		{"two make two", 2, []Member{server(0, true, self), server(1, false)}, "promote node-1"},
		{"two stay two when one of them drains", 2, []Member{server(0, true, self), server(1, true, draining)}, ""},
		{"three make three", 3, []Member{server(0, true, self), server(1, true), server(2, false)}, "promote node-2"},
		{"who is behind waits", 2, []Member{server(0, true, self), server(1, false, behind), server(2, false)}, "promote node-2"},
		{"who came just now waits", 1, []Member{server(0, true, self), server(1, false, early), server(2, false, early)}, ""},
		{"who drains gets no vote", 1, []Member{server(0, true, self), server(1, false, draining)}, ""},
		{"four keep three", 3, []Member{server(0, true, self), server(1, true), server(2, true), server(3, false)}, ""},
		{"four first members become three", 3, []Member{server(0, true, self), server(1, true), server(2, true), server(3, true)}, "demote node-3"},
		{"five make five", 4, []Member{server(0, true, self), server(1, true), server(2, true), server(3, false), server(4, false)}, "promote node-3"},
		{"five with one lost keep four", 5, []Member{server(0, true, self), server(1, true), server(2, true), server(3, true)}, ""},
		{"away is not dead", 3, []Member{server(0, true, self), server(1, true, away), server(2, true), server(3, false)}, ""},
		{"the dead are replaced", 3, []Member{server(0, true, self), server(1, true, gone), server(2, true), server(3, false)}, "promote node-3"},
		{"then demoted", 3, []Member{server(0, true, self), server(1, true, gone), server(2, true), server(3, true)}, "demote node-1"},
		{"never dropped without a successor", 3, []Member{server(0, true, self), server(1, true, gone), server(2, true)}, ""},
		{"draining voters vote", 3, []Member{server(0, true, self), server(1, true, draining), server(2, true), server(3, false)}, ""},
		{"a draining leader leads", 3, []Member{server(0, true, self, draining), server(1, true), server(2, true)}, ""},
		{"of too many the draining one goes", 3, []Member{server(0, true, self), server(1, true, draining), server(2, true), server(3, true)}, "demote node-1"},
		{"three stay three when two drain", 3, []Member{server(0, true, self), server(1, true, draining), server(2, true, draining)}, ""},
		{"--no-voter keeps a vote that nobody takes over", 3, []Member{server(0, true, self), server(1, true, barred), server(2, true)}, ""},
		{"and loses it to a successor", 3, []Member{server(0, true, self), server(1, true, barred), server(2, true), server(3, true)}, "demote node-1"},
		{"a leader with --no-voter hands over", 1, []Member{server(0, true, self, barred), server(1, true)}, "hand over node-0"},
		{"of too many those that do not answer go first", 3, []Member{server(0, true, self), server(1, true), server(2, true, barred), server(3, true, away), server(4, true, barred, away), server(5, true, barred, away)}, "demote node-5"},
		{"a vote is given in the zone with the fewest", 3, []Member{server(0, true, self, in("a")), server(1, true, in("b")), server(2, false, in("a")), server(3, false, in("b")), server(4, false, in("c"))}, "promote node-4"},
		{"a vote moves to a new zone", 3, []Member{server(0, true, self, in("a")), server(1, true, in("a")), server(2, true, in("b")), server(3, false, in("c"))}, "promote node-3"},
		{"and is taken from the one that had two", 3, []Member{server(0, true, self, in("a")), server(1, true, in("a")), server(2, true, in("b")), server(3, true, in("c"))}, "demote node-1"},
		{"no vote moves for a difference of one", 3, []Member{server(0, true, self, in("a")), server(1, true, in("a")), server(2, true, in("b")), server(3, false, in("b"))}, ""},
		{"when a zone has two more", 3, []Member{server(0, true, self, in("a")), server(1, true, in("a")), server(2, true, in("a")), server(3, false, in("b"))}, "promote node-3"},
		{"and is taken from the zone with the most", 3, []Member{server(0, true, self, in("a")), server(1, true, in("a")), server(2, true, in("a")), server(3, true, in("b"))}, "demote node-2"},
		{"not from the leader", 3, []Member{server(0, true, in("a")), server(1, true, in("b")), server(2, true, in("c")), server(3, true, self, in("c"))}, "demote node-2"},
		{"a dead zone gives its votes to others", 5, []Member{server(0, true, gone, in("a")), server(1, true, gone, in("a")), server(2, true, self, in("b")), server(3, true, in("b")), server(4, true, in("c")), server(5, false, in("c"))}, "promote node-5"},
		{"then it loses them", 5, []Member{server(0, true, gone, in("a")), server(1, true, gone, in("a")), server(2, true, self, in("b")), server(3, true, in("b")), server(4, true, in("c")), server(5, true, in("c"))}, "demote node-1"},
		{"a zone that is behind gets none", 3, []Member{server(0, true, self, in("a")), server(1, true, in("a")), server(2, true, in("a")), server(3, false, behind, in("b"))}, ""},
	}
	for _, test := range tests {
		move := (&Electorate{Members: test.servers, Pledged: test.votes}).Next(voterRules)
		if got := inWords(move); got != test.want {
			t.Errorf("%s: %q instead of %q", test.name, got, test.want)
		}
	}
}

func inWords(m Move) string {
	switch m.What {
	case Keep:
		return ""
	case Pledge:
		return fmt.Sprintf("%s %d", m.What, m.Votes)
	}
	return fmt.Sprintf("%s %s", m.What, m.Node)
}

// health is the condition of a member in a model.
type health uint8

const (
	ready health = iota
	late         // runs, and has not caught up
	away         // has not answered for a minute
	dead         // has not answered for ten
)

// town is a model of a cluster: its members by number, and what the log records. It is
// comparable.
type town struct {
	members [6]resident
	pledged int
}

type resident struct {
	in, votes, barred, draining bool
	health                      health
	zone                        uint8
}

var residentNames = [...]wire.NodeID{"a", "b", "c", "d", "e", "f"}

// key orders residents.
func (r resident) key() (k int) {
	for _, yes := range []bool{r.in, r.votes, r.barred, r.draining} {
		k <<= 1
		if yes {
			k++
		}
	}
	return (k<<2|int(r.health))<<2 | int(r.zone)
}

// sorted is the town with its members in a fixed order: the numbers of the members make no
// difference.
func (w town) sorted() town {
	slices.SortFunc(w.members[:], func(a, b resident) int { return b.key() - a.key() })
	return w
}

// electorate is what a leader sees: the member with this number, or with -1 any member that
// can lead.
func (w *town) electorate(leader int) (e Electorate, lead int) {
	e.Members, e.Pledged, lead = make([]Member, 0, len(w.members)), w.pledged, -1
	for i, r := range w.members {
		if !r.in {
			continue
		}
		s := Member{ID: residentNames[i], Voter: r.votes, Eligible: !r.barred, Draining: r.draining, Zone: string('a' + rune(r.zone))}
		switch r.health {
		case ready:
			s.Kept = time.Minute
		case away:
			s.Silent = time.Minute
		case dead:
			s.Silent = 10 * time.Minute
		}
		if lead < 0 && r.votes && r.health == ready && (leader < 0 || i == leader) {
			lead, s.Self = i, true
		}
		e.Members = append(e.Members, s)
	}
	return e, lead
}

// quorum tells whether the cluster can agree on something.
func (w *town) quorum() bool {
	up, votes := 0, 0
	for _, r := range w.members {
		if r.in && r.votes {
			votes++
			if r.health <= late {
				up++
			}
		}
	}
	_, lead := w.electorate(-1)
	return votes > 0 && up >= votes/2+1 && lead >= 0
}

func (w *town) count(what func(resident) bool) (n int) {
	for _, r := range w.members {
		if r.in && what(r) {
			n++
		}
	}
	return n
}

// disks is how many disks hold an entry that is acknowledged now.
func (w *town) disks() int { return w.count(func(r resident) bool { return r.votes })/2 + 1 }

// carry does what a leader does with a move. Towns that cannot agree do not move.
func (w *town) carry(m Move) {
	for i := range w.members {
		if residentNames[i] != m.Node {
			continue
		}
		switch m.What {
		case Promote:
			w.members[i].votes = true
		case Demote:
			w.members[i].votes = false
		}
	}
	if m.What == Pledge {
		w.pledged = m.Votes
	}
}

// step is something that can happen to a town.
type step struct {
	name    string
	removes bool // an operator's removal
	do      func(w *town)
}

// steps are all things that can happen to a town of so many members in so many zones. With
// roles, members are restarted with --no-voter and without, and may be away for a while, too.
func steps(size, zones int, roles bool) []step {
	var all []step
	for i := range size {
		all = append(all, step{name: "the leader looks", do: func(w *town) {
			if e, lead := w.electorate(i); lead == i && w.quorum() {
				w.carry(e.Next(voterRules))
			}
		}})
	}
	for i := range size {
		for _, h := range []health{ready, late, away, dead} {
			if h == away && !roles {
				continue
			}
			all = append(all, step{name: fmt.Sprintf("%d is %s", i, [...]string{"ready", "late", "away", "dead"}[h]), do: func(w *town) {
				if w.members[i].in {
					w.members[i].health = h
				}
			}})
		}
		for zone := range uint8(zones) {
			all = append(all, step{name: fmt.Sprintf("%d joins in zone %d", i, zone), do: func(w *town) {
				if !w.members[i].in && w.quorum() {
					w.members[i] = resident{in: true, health: late, zone: zone}
				}
			}})
		}
		all = append(all,
			step{name: fmt.Sprintf("%d drains or does not", i), do: func(w *town) {
				if r := &w.members[i]; r.in && w.quorum() {
					r.draining = !r.draining
				}
			}},
			step{name: fmt.Sprintf("%d starts with --no-voter or without", i), do: func(w *town) {
				if r := &w.members[i]; roles && r.in && w.quorum() {
					r.barred = !r.barred
				}
			}},
			step{name: fmt.Sprintf("%d comes back with an empty disk", i), do: func(w *town) {
				if e, lead := w.electorate(-1); w.members[i].in && w.quorum() && lead != i && e.Spares(residentNames[i]) {
					w.members[i] = resident{in: true, health: late, draining: w.members[i].draining, barred: w.members[i].barred, zone: w.members[i].zone}
				}
			}},
			step{name: fmt.Sprintf("%d is removed", i), removes: true, do: func(w *town) {
				if !w.members[i].in || !w.quorum() {
					return
				}
				for {
					e, _ := w.electorate(-1)
					first, votes, err := e.Removal(residentNames[i], voterRules)
					if err != nil {
						return
					}
					if first.What == Keep {
						after := *w
						after.members[i], after.pledged = resident{}, votes
						if after.quorum() { // see membership.enough
							*w = after
						}
						return
					}
					w.carry(first)
				}
			}})
	}
	return all
}

// judge says what is wrong with a step, "" if nothing is.
func judge(before, after *town, s *step) string {
	votes := func(w *town) int { return w.count(func(r resident) bool { return r.votes }) }
	had := min(votes(before), before.pledged) // more are on their way out
	switch {
	case !s.removes && after.pledged < before.pledged:
		return "the record shrinks"
	case !s.removes && after.disks() < had/2+1:
		return "an entry needs fewer disks than before"
	case s.removes && votes(after) < after.pledged && votes(after) < had:
		return "a vote went without a successor that is there"
	case s.removes && after.pledged < min(before.pledged, goalOf(after.count(func(r resident) bool { return !r.barred }), voterRules.MaxVoters)):
		return "a removal lowers what the others can keep"
	case s.name == "the leader looks" && before.quorum() && !after.quorum():
		return "the leader has made itself unable to go on"
	}
	return ""
}

// TestVotesNeverFallBelowWhatTheClusterHad goes through every state that a cluster can come
// to by nodes that join, drain, fall behind, die, come back with an empty disk and are
// removed, in any order and at any moment.
func TestVotesNeverFallBelowWhatTheClusterHad(t *testing.T) {
	t.Run("five nodes", func(t *testing.T) { explore(t, 5, 1, false) })
	t.Run("three nodes of changing roles", func(t *testing.T) { explore(t, 3, 1, true) })
	t.Run("four nodes in two zones", func(t *testing.T) { explore(t, 4, 2, false) })
}

func explore(t *testing.T, size, zones int, roles bool) {
	first := town{pledged: 1}
	first.members[0] = resident{in: true, votes: true}
	all := steps(size, zones, roles)
	seen, rested := map[town]town{first: {}}, map[town]bool{}
	queue := []town{first}
	for len(queue) > 0 {
		w := queue[0]
		queue = queue[1:]
		for i := range all {
			next := w
			all[i].do(&next)
			if next = next.sorted(); next == w {
				continue
			}
			if wrong := judge(&w, &next, &all[i]); wrong != "" {
				t.Fatalf("%s: %s\nfrom %+v\nto %+v\nafter %s", all[i].name, wrong, w, next, story(seen, w))
			}
			if _, known := seen[next]; !known {
				seen[next] = w
				queue = append(queue, next)
			}
		}
		well := w
		for i := range well.members {
			well.members[i].health = ready
		}
		if well = well.sorted(); !rested[well] {
			rested[well] = true
			if wrong := rests(well, all[:size]); wrong != "" {
				t.Fatalf("%s: %+v\nafter %s", wrong, well, story(seen, w))
			}
		}
	}
	t.Logf("%d states", len(seen))
	if len(seen) < 5000 {
		t.Errorf("only %d states were reached", len(seen))
	}
}

// rests checks that a town whose members are all well ends with as many votes as it should
// have.
func rests(w town, looks []step) (wrong string) {
	for range 20 {
		before := w
		for i := range looks {
			looks[i].do(&w)
		}
		if w != before {
			continue
		}
		e, _ := w.electorate(-1)
		able := w.count(func(r resident) bool { return r.votes || !r.draining && !r.barred })
		if votes, want := e.votes(), min(e.goal(voterRules), able); votes != want {
			return fmt.Sprintf("it rests with %d votes and should have %d", votes, want)
		}
		if next := e.successor(0, voterRules); next != nil && e.lopsided(next, voterRules) {
			return "it rests with two votes more in a zone than in another that could have one"
		}
		return ""
	}
	return "it never rests"
}

// story lists the steps that led to a town.
func story(seen map[town]town, w town) string {
	var b strings.Builder
	for at, ok := w, true; ok && at.pledged != 0; at, ok = seen[at], true {
		fmt.Fprintf(&b, "\n  %+v", at)
	}
	return b.String()
}
