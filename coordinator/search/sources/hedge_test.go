package sources

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"shoal/coordinator"
	"shoal/coordinator/driver"
	"shoal/wire"
)

// haltingShards are nodes that take 2 to 4 ms to open a source, or a second when halts says so.
type haltingShards struct {
	coordinator.Shards
	halts  func(n wire.NodeID, opened int) bool
	opened map[wire.NodeID]int
	mu     sync.Mutex // guards spread and opened
	spread *rand.Rand
}

func (h *haltingShards) Suspect(wire.NodeID) bool { return false }

func (h *haltingShards) OpenSearch(ctx context.Context, n wire.NodeID, _ *wire.SearchOpen) (wire.Session, error) {
	h.mu.Lock()
	h.opened[n]++
	takes := time.Duration(2000+h.spread.IntN(2000)) * time.Microsecond
	if h.halts(n, h.opened[n]) {
		takes = time.Second
	}
	h.mu.Unlock()
	over := time.NewTimer(takes)
	defer over.Stop()
	select {
	case <-over.C:
		return halted{}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type halted struct{}

func (halted) Step(context.Context, *wire.SearchStep) (*wire.SearchReply, error) { panic("not asked") }

func (halted) Close() error { return nil }

// searchTimes repeatedly opens sources of an index on one shard that nodes a and b hold, and
// returns the sorted durations.
func searchTimes(t *testing.T, shards *haltingShards, hedged *[2]int) (times []time.Duration) {
	t.Helper()
	x := &wire.Index{ID: 1, UID: "docs", Shards: []wire.Shard{{SlotHi: wire.Slots, Replicas: []wire.Replica{{Node: "a", State: wire.InSync}, {Node: "b", State: wire.InSync}}}}}
	shards.opened, shards.spread = map[wire.NodeID]int{}, rand.New(rand.NewPCG(3, 4))
	s := New(Config{Shards: shards, Self: "front", Hedged: func(won bool) {
		if won {
			hedged[1]++
		} else {
			hedged[0]++
		}
	}})
	const searches = 2000
	for i := range searches {
		x.ID = uint32(i) // the nodes take turns
		begun := time.Now()
		sources, err := s.Choose(nil, nil).Open(t.Context(), x, time.Now().Add(time.Minute), &driver.Plan{Length: 20})
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, time.Since(begun))
		sources.Close()
	}
	time.Sleep(2 * time.Second) // virtual: losers have ended
	if opened := shards.opened["a"] + shards.opened["b"]; opened != searches+hedged[0]+hedged[1] {
		t.Errorf("%d sources were opened in %d searches with %v hedges", opened, searches, *hedged)
	}
	if len(s.asked.of) != 0 {
		t.Errorf("sources are still counted as open: %v", s.asked.of)
	}
	slices.Sort(times)
	return times
}

func TestASlowMomentOfANodeDoesNotDelaySearches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hedged [2]int
		r := rand.New(rand.NewPCG(1, 2))
		times := searchTimes(t, &haltingShards{halts: func(wire.NodeID, int) bool { return r.IntN(40) == 0 }}, &hedged)
		t.Logf("p50 %v, p99 %v, most %v; hedges that did not, and did help: %v", times[1000], times[1980], times[1999], hedged)
		if times[1980] > 10*time.Millisecond {
			t.Errorf("p99 is %v", times[1980])
		}
		if n := hedged[0] + hedged[1]; n < 40 || n > 105 {
			t.Errorf("%d of 2000 sources were hedged", n)
		}
	})
}

// A node that is always slow causes no more hedges than the bound.
func TestHedgesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hedged [2]int
		searchTimes(t, &haltingShards{halts: func(n wire.NodeID, opened int) bool { return n == "a" && opened > 100 }}, &hedged)
		t.Logf("hedges: %v", hedged)
		if n := hedged[0] + hedged[1]; n == 0 || n > 105 {
			t.Errorf("%d of 2000 sources were hedged", n)
		}
	})
}

// All queries of an attempt share the division of its index. A hedge that a second node wins
// must not change the division, because others may be reading it.
func TestAHedgeLeavesTheSharedDivisionUnchanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := &wire.Index{ID: 1, UID: "docs", Shards: []wire.Shard{{SlotHi: wire.Slots, Replicas: []wire.Replica{{Node: "a", State: wire.InSync}, {Node: "b", State: wire.InSync}}}}}
		var first wire.NodeID
		shards := &haltingShards{opened: map[wire.NodeID]int{}, spread: rand.New(rand.NewPCG(5, 6)), halts: func(n wire.NodeID, opened int) bool { return n == first }}
		s := New(Config{Shards: shards, Self: "front"})
		for range 2 * paceLeast {
			s.pace.took("a", 3*time.Millisecond)
			s.pace.took("b", 3*time.Millisecond)
		}
		attempt := s.Choose(nil, nil)
		open := func() wire.NodeID {
			sources, err := attempt.Open(t.Context(), x, time.Now().Add(time.Minute), &driver.Plan{Length: 20})
			if err != nil {
				t.Fatal(err)
			}
			defer sources.Close()
			return sources[0].node
		}
		node := open()
		first = node // slow from now on
		if faster := open(); faster == node {
			t.Fatalf("node %s was not overtaken", node)
		}
		if now := attempt.divided(x).parts[0].node; now != node {
			t.Errorf("the division says node %s, it said %s", now, node)
		}
	})
}

// failingShards are a node that fails at once, one that hangs and one that answers.
type failingShards struct {
	coordinator.Shards
	behave map[wire.NodeID]func(ctx context.Context) error
}

func (s *failingShards) Suspect(wire.NodeID) bool { return false }

func (s *failingShards) OpenSearch(ctx context.Context, n wire.NodeID, _ *wire.SearchOpen) (wire.Session, error) {
	if err := s.behave[n](ctx); err != nil {
		return nil, err
	}
	return halted{}, nil
}

// A regression test: after a hedge, a failure of the first node made the search wait for the
// second node alone.
func TestAThirdNodeIsAskedWhenTheFirstFailsAndTheSecondHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := &wire.Index{ID: 0, UID: "docs", Shards: []wire.Shard{{SlotHi: wire.Slots}}}
		for _, n := range []wire.NodeID{"a", "b", "c"} {
			x.Shards[0].Replicas = append(x.Shards[0].Replicas, wire.Replica{Node: n, State: wire.InSync})
		}
		s := New(Config{Self: "front", Shards: &failingShards{behave: map[wire.NodeID]func(context.Context) error{
			"a": func(context.Context) error { time.Sleep(20 * time.Millisecond); return wire.ErrUnavailable }, // virtual
			"b": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
			"c": func(context.Context) error { return nil },
		}}})
		for range 2 * paceLeast {
			s.pace.took("b", 3*time.Millisecond)
		}
		begun := time.Now()
		sources, err := s.Choose(nil, nil).Open(t.Context(), x, begun.Add(time.Minute), &driver.Plan{Length: 20})
		if err != nil {
			t.Fatal(err)
		}
		defer sources.Close()
		if took := time.Since(begun); sources[0].node != "c" || took > 50*time.Millisecond {
			t.Errorf("node %s after %v", sources[0].node, took)
		}
	})
}
