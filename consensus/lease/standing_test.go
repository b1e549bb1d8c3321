package lease

import (
	"testing"
	"time"

	"github.com/hashicorp/raft"

	"shoal/wire"
)

// TestTheSuccessorIsTheVoterThatHasAppliedMost of those that answer.
func TestTheSuccessorIsTheVoterThatHasAppliedMost(t *testing.T) {
	r := newScript(t, 900, 1500, "before behind well stranger", "learns")
	r.cfg.Predecessor = "before"
	r.clock = time.Second
	r.nodes = map[wire.NodeID]*standing{
		"before": {index: 9}, "behind": {index: 4, spoke: r.now()}, "well": {index: 7, spoke: r.now()}, "learns": {index: 8, spoke: r.now()},
	}
	if next, ok := r.Successor(); !ok || next.ID != "well" {
		t.Errorf("%q %t", next.ID, ok)
	}
	r.servers = []raft.Server{{ID: "before"}, {ID: "stranger"}}
	if next, ok := r.Successor(); ok {
		t.Errorf("nobody answers, and %q is to lead", next.ID)
	}
}

// Four leases were six seconds, until leases became shorter.
func TestAPauseOfFiveSecondsDoesNotDelayAVote(t *testing.T) {
	r := newScript(t, 900, 1500, "a", "paused gone")
	r.clock = time.Minute
	for id, pause := range map[wire.NodeID]time.Duration{"paused": 5 * time.Second, "gone": 7 * time.Second} {
		*r.nodes[id] = standing{kept: 1, index: 10, spoke: r.now() - int64(pause)}
	}
	r.KeepingUp(10, 0)
	health := r.Health()
	if health["paused"].Kept == 0 {
		t.Error("a pause of five seconds")
	}
	if health["gone"].Kept != 0 {
		t.Error("a pause of seven seconds")
	}
	if h := health["gone"]; h.Silent != 7*time.Second {
		t.Errorf("it has been silent for %s", h.Silent)
	}
	if h := health["a"]; h.Silent != 0 || h.Kept <= 0 {
		t.Errorf("this node itself: %+v", h)
	}
}
