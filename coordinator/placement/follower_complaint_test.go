package placement

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"shoal/coordinator/coordtest"
	"shoal/coordinator/replica"
	"shoal/wire"
)

// A regression test: a store that lost what no other node holds logged the same warning every
// second and never said what to do.
func TestALostShardIsReportedOnceWithARemedy(t *testing.T) {
	var out bytes.Buffer
	f := replica.NewFollower(replica.FollowerConfig{Self: "a", Log: coordtest.NewLog("a", "b"), Faults: slog.New(slog.NewTextHandler(&out, nil))})
	alone := &wire.Shard{Number: 1, Replicas: []wire.Replica{{Node: "a", State: wire.InSync}}}
	among := &wire.Shard{Number: 2, Replicas: []wire.Replica{{Node: "a", State: wire.InSync}, {Node: "b", State: wire.InSync}}}
	x := &wire.Index{ID: 1, UID: "m", Version: 7}
	for range 10 {
		f.Complain(x, alone, wire.ShardKey{IndexID: 1, Shard: 1}, wire.ErrUnavailable)
		f.Complain(x, among, wire.ShardKey{IndexID: 1, Shard: 2}, wire.ErrUnavailable)
	}
	text := out.String()
	if strings.Count(text, "\n") != 2 || !strings.Contains(text, "restore the index from a snapshot or dump") || !strings.Contains(text, "will try again") {
		t.Error(text)
	}
}
