package coordinator

import (
	"context"
	"errors"
	"testing"
	"time"

	"shoal/api"
	"shoal/coordinator/driver"
	"shoal/wire"
)

// refusingShards refuse the first step of every search, each shard at its place: when
// a session is opened on another node, when the step is asked on this one.
type refusingShards struct {
	Shards
	place func(shard uint16) int
}

func (r *refusingShards) Suspect(wire.NodeID) bool { return false }

func (r *refusingShards) OpenSearch(_ context.Context, _ wire.NodeID, open *wire.SearchOpen) (Session, error) {
	err := api.NewError(api.CodeInvalidSearchFilter, "refused").At(r.place(open.Index.Key.Shard))
	if open.First != nil {
		return nil, err
	}
	return refusal{err}, nil
}

// Whichever node was asked, the refusals of its own shards came after those of others,
// which come with the opening.
func TestTheNodeThatIsAskedDoesNotDecideWhichErrorIsReported(t *testing.T) {
	x := &wire.Index{ID: 1, UID: "docs"}
	for i, node := range []wire.NodeID{"a", "b", "c"} {
		x.Shards = append(x.Shards, wire.Shard{Number: uint16(i), Replicas: []wire.Replica{{Node: node, State: wire.InSync}}})
	}
	for _, first := range []int{0, 1, 2} {
		shards := &refusingShards{place: func(shard uint16) int { return 1 + (int(shard)-first+3)%3 }}
		for _, self := range []wire.NodeID{"a", "b", "c", "none of them"} {
			cut := &Cut{search: NewSearch(SearchConfig{Shards: shards, Self: self})}
			plan := &driver.Plan{Length: 20}
			sessions, err := cut.open(t.Context(), x, time.Second, plan)
			if err != nil {
				t.Fatalf("asked %s: opening: %v", self, err)
			}
			executors := make([]driver.Session, len(sessions))
			for i, s := range sessions {
				executors[i] = s
			}
			plan.Deadline = time.Now().Add(time.Minute)
			_, err = driver.Run(t.Context(), executors, plan)
			var refused *api.Error
			if !errors.As(err, &refused) || refused.Place != 1 {
				t.Errorf("asked %s, shard %d finds the first error: %v", self, first, err)
			}
			closeSessions(sessions)
		}
	}
}
