package search

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"shoal/api"
	"shoal/coordinator"
	"shoal/query/rule"
	"shoal/wire"
)

// lateShards is a node that takes long to open a source, and fails a given number of times.
type lateShards struct {
	coordinator.Shards
	waited, worked time.Duration
	failures       int
	left           []int64 // the remaining time that each opening was given
}

func (s *lateShards) Suspect(wire.NodeID) bool { return false }

func (s *lateShards) OpenSearch(_ context.Context, _ wire.NodeID, open *wire.SearchOpen) (wire.Session, error) {
	s.left = append(s.left, open.DeadlineMillis)
	time.Sleep(s.waited + s.worked) // virtual
	if s.failures > 0 {
		s.failures--
		return nil, wire.ErrUnavailable
	}
	return &lateSession{s}, nil
}

type lateSession struct{ of *lateShards }

func (s *lateSession) Waited() time.Duration { return s.of.waited }

func (s *lateSession) Step(_ context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
	switch {
	case step.Begin != nil:
		return &wire.SearchReply{Universe: &wire.UniverseReply{Count: 1}}, nil
	case step.Buckets != nil:
		return &wire.SearchReply{Buckets: &wire.BucketsReply{}}, nil
	}
	return &wire.SearchReply{Take: &wire.TakeReply{Ordinals: []uint32{1}}}, nil
}

func (*lateSession) Close() error { return nil }

// late runs a search with 1.5 s of time on one node, in as many attempts as needed.
func late(t *testing.T, shards *lateShards) *Ranking {
	t.Helper()
	lost, request := new(lostTime), new(api.SearchRequest)
	for {
		r, err := attempt(t, shards, lost, request)
		if err == nil {
			return r
		}
		if shards.failures < 0 || len(shards.left) > 3 {
			t.Fatal(err)
		}
	}
}

// attempt is one attempt of late.
func attempt(t *testing.T, shards *lateShards, lost *lostTime, request *api.SearchRequest) (*Ranking, error) {
	x := &wire.Index{ID: 1, UID: "docs", Shards: []wire.Shard{{SlotHi: wire.Slots, Replicas: []wire.Replica{{Node: "a", State: wire.InSync}}}}}
	s := New(Config{Shards: shards, Self: "front"})
	cut := &Attempt{Search: s, sources: s.sources.Choose(nil, nil), lost: lost}
	p := &Plan{Index: x, Request: request, cutoff: DefaultCutoff}
	p.giveTime(cut)
	p.Drive.Length, p.Drive.Placeholder = 1, []rule.Rule{{Kind: rule.Sort}}
	r, err := cut.rankBy(t.Context(), p, p.Drive)
	if err == nil {
		t.Cleanup(r.Close)
	}
	return r, err
}

// Work that a node does ahead of its first answer counts as ranking. Not counting it gave the
// search its time twice.
func TestWorkAheadCountsAsSearchTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shards := &lateShards{worked: 2 * time.Second}
		if r := late(t, shards); !r.Ranked.Degraded {
			t.Error("the search went on to rank after 2 s")
		}
	})
}

func TestWaitingForAVersionDoesNotCountAsSearchTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shards := &lateShards{waited: 2 * time.Second}
		if r := late(t, shards); r.Ranked.Degraded {
			t.Error("the search did not rank after 2 s of waiting")
		}
	})
}

func TestARepeatedSearchHasNoMoreTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shards := &lateShards{worked: time.Second, failures: 2}
		late(t, shards)
		if want := []int64{1500, 500, 0}; len(shards.left) != 3 || shards.left[0] != want[0] || shards.left[1] != want[1] || shards.left[2] != want[2] {
			t.Errorf("the attempts had %v ms, want %v", shards.left, want)
		}
	})
}

// A regression test: when a node failed after it had ranked, during rendering or during another
// query of the request, the search had its full time again, up to four times.
func TestASearchThatFailsAfterItsRankingHasNoMoreTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shards := &lateShards{worked: time.Second}
		lost, request := new(lostTime), new(api.SearchRequest)
		for range 2 {
			if _, err := attempt(t, shards, lost, request); err != nil {
				t.Fatal(err)
			}
		}
		if want := []int64{1500, 500}; !slices.Equal(shards.left, want) {
			t.Errorf("the attempts had %v ms, want %v", shards.left, want)
		}
	})
}
