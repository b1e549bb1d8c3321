package sources

import (
	"context"
	"errors"
	"testing"
	"time"

	"shoal/api/apierr"
	"shoal/coordinator"
	"shoal/coordinator/driver"
	"shoal/wire"
)

// refusingShards refuse the first step of every search, each shard at its place. On another
// node the step travels with the opening; on this one it is a call of its own.
type refusing struct{ err *apierr.Error }

func (r refusing) Step(context.Context, *wire.SearchStep) (*wire.SearchReply, error) {
	return nil, r.err
}

func (refusing) Close() error { return nil }

type refusingShards struct {
	coordinator.Shards
	place func(shard uint16) int
}

func (r *refusingShards) Suspect(wire.NodeID) bool { return false }

func (r *refusingShards) OpenSearch(_ context.Context, _ wire.NodeID, open *wire.SearchOpen) (wire.Session, error) {
	err := apierr.New(apierr.CodeInvalidSearchFilter, "refused").At(r.place(open.Index.Key.Shard))
	if open.First != nil {
		return nil, err
	}
	return refusing{err}, nil
}

// A regression test: refusals of the local shards were ordered after those of other nodes,
// because only the latter come with the opening.
func TestEveryNodeReportsTheSameError(t *testing.T) {
	x := &wire.Index{ID: 1, UID: "docs"}
	for i, node := range []wire.NodeID{"a", "b", "c"} {
		x.Shards = append(x.Shards, wire.Shard{Number: uint16(i), Replicas: []wire.Replica{{Node: node, State: wire.InSync}}})
	}
	for _, first := range []int{0, 1, 2} {
		shards := &refusingShards{place: func(shard uint16) int { return 1 + (int(shard)-first+3)%3 }}
		for _, self := range []wire.NodeID{"a", "b", "c", "none of them"} {
			cut := New(Config{Shards: shards, Self: self}).Choose(nil, nil)
			plan := &driver.Plan{Length: 20}
			opened, err := cut.Open(t.Context(), x, time.Now().Add(time.Second), plan)
			if err != nil {
				t.Fatalf("asked %s: opening: %v", self, err)
			}
			plan.Deadline = time.Now().Add(time.Minute)
			_, err = driver.Run(t.Context(), opened.Sessions(), plan)
			var refused *apierr.Error
			if !errors.As(err, &refused) || refused.Place != 1 {
				t.Errorf("asked %s, shard %d finds the first error: %v", self, first, err)
			}
			opened.Close()
		}
	}
}
