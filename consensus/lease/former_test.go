package lease

import (
	"testing"

	"shoal/wire"
)

func TestContactTellsSinceWhenANodeIsLostToFormerLeaders(t *testing.T) {
	var c Contact
	check := func(what string, term uint64, now, want int64) {
		t.Helper()
		if got := c.Quiet(term, now); got != want {
			t.Errorf("%s: %d instead of %d", what, got, want)
		}
	}
	check("since it was opened", 1, 40, 40)
	c.Hear(3, 100)
	c.Hear(3, 200)
	check("in the term of that leader", 3, 250, 250)
	check("in the next one", 4, 250, 50)
	c.Hear(5, 300)
	check("whose leader it has heard", 5, 350, 150)
	check("and in the one after", 6, 350, 50)
	check("in an older one it knows nothing", 4, 350, 0)
	c.Hear(3, 400) // late
	check("an old leader's answer was under way", 5, 450, 50)
	c.Ceased(500)
	check("it led itself", 6, 520, 20)
}

func TestFormerLeasesEndWithTheLastOfAMajorityThatHeardFromTheirLeaders(t *testing.T) {
	f := former{length: 1000, voters: []wire.NodeID{"a", "b", "c"}, moments: map[wire.NodeID]int64{"a": 5000}}
	if _, ok := f.learn("stranger", 800, 6000); ok {
		t.Error("who does not vote counts")
	}
	if _, ok := f.learn("b", 0, 6000); ok {
		t.Error("who knows nothing counts")
	}
	if until, ok := f.learn("b", 800, 6000); !ok || until != 5200+1000 {
		t.Errorf("a majority of two: %d %t", until, ok)
	}
	if until, ok := f.learn("b", 900, 6050); !ok || until != 5150+1000 {
		t.Errorf("it says it more exactly: %d %t", until, ok)
	}
	// Another majority, which has not heard from them for longer.
	if until, ok := f.learn("c", 2000, 6100); !ok || until != 5000+1000 {
		t.Errorf("all three: %d %t", until, ok)
	}
	f.changed = 5900
	if until, ok := f.learn("c", 2000, 6150); !ok || until != 5900+1000 {
		t.Errorf("the voters changed just now: %d %t", until, ok)
	}
}

// Leases of older programs last longer. If the new leader ignores one, its node answers
// with outdated tasks.
func TestANewLeaderWaitsForTheLeasesOfOlderPrograms(t *testing.T) {
	for program, want := range map[int]int64{ShortSince: 990, ShortSince - 1: 1650} {
		r := newScript(t, 900, 1500, "a b c", "x")
		cfg := r.cfg
		cfg.Program, cfg.Configured = program, func() int64 { return 0 }
		table := NewTable(t.Context(), cfg)
		if len(table.nodes) != 3 {
			t.Errorf("it counts %d others", len(table.nodes))
		}
		for id, s := range table.nodes {
			if got := (s.until - s.heard) / 1e6; got != want {
				t.Errorf("%s counts as leased for %d ms, not %d, with programs of version %d", id, got, want, program)
			}
		}
	}
}
