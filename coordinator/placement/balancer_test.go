package placement

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"shoal/coordinator/coordtest"
	"shoal/wire"
)

// A copy moves only between nodes that differ by two copies and by more than a tenth. The next
// index would undo a smaller move.
func TestSmallDifferencesCauseNoMove(t *testing.T) {
	for _, c := range []struct {
		first, second int
		moves         bool
	}{
		{0, 0, false}, {1, 0, false}, {2, 0, true}, {0, 2, true}, {2, 1, false}, {3, 1, true},
		{19, 17, true}, {20, 18, false}, {20, 17, true}, {30, 27, false}, {31, 27, true},
	} {
		l := coordtest.NewLog("n1", "n2")
		x := readIndex(t, "a", strings.Fields(strings.Repeat("n1 ", c.first)+strings.Repeat("n2 ", c.second)))
		x.ID, x.ReplicaGoal = 1, 1
		l.State.ByID[1] = x
		if got := NewBalancer(BalancerConfig{}).Plan(l.State); (len(got) == 1) != c.moves {
			t.Errorf("%d and %d copies: %+v", c.first, c.second, got)
		}
	}
}

// One pass makes a bounded number of decisions. The next pass continues.
func TestAPassIsBounded(t *testing.T) {
	l := coordtest.NewLog("n1", "n2", "n3")
	shards := strings.Fields(strings.Repeat("n1 ", maxDecisions+6))
	x := readIndex(t, "a", shards)
	x.ID = 1
	l.State.ByID[1] = x
	b := NewBalancer(BalancerConfig{})
	for _, want := range []int{64, 6} {
		got := b.Plan(l.State)
		if len(got) != want {
			t.Fatalf("%d decisions, want %d", len(got), want)
		}
		for _, d := range got {
			carry(l.State, &d.Change)
		}
		arrive(l.State)
	}
}

func TestDefaultsOfABalancer(t *testing.T) {
	b := NewBalancer(BalancerConfig{})
	if b.DeadAfter != 5*time.Minute || b.MaxCopies != 2 || b.Faults != slog.Default() || time.Since(b.Now()).Abs() > time.Minute || !b.Alive("n1") {
		t.Errorf("%+v", b.BalancerConfig)
	}
	b = NewBalancer(BalancerConfig{DeadAfter: 1, MaxCopies: 1})
	if b.DeadAfter != 1 || b.MaxCopies != 1 {
		t.Errorf("%+v", b.BalancerConfig)
	}
}

// Operators see the newest decisions with their reasons, in the order in which they were made.
// The log of the node has all of them.
func TestTheNewestDecisionsAreKept(t *testing.T) {
	l := coordtest.NewLog("n1", "n2")
	x := readIndex(t, "a", []string{"n1"})
	x.ID = 1
	l.State.ByID[1] = x
	var out bytes.Buffer
	b := NewBalancer(BalancerConfig{Log: l, Faults: slog.New(slog.NewTextHandler(&out, nil))})
	for i := range decisionsKept + 3 {
		b.carryOut(t.Context(), Decision{Change: wire.Change{PutReplica: &wire.ReplicaChange{IndexID: 1, Replica: wire.Replica{Node: "n2"}}}, Reason: fmt.Sprint("reason ", i)})
		if n := len(b.Decisions()); n != min(i+1, decisionsKept) {
			t.Fatalf("%d reasons after %d decisions", n, i+1)
		}
	}
	l.Before = func(*wire.Command) error { return wire.ErrNoLeader }
	b.carryOut(t.Context(), Decision{Change: wire.Change{PutReplica: &wire.ReplicaChange{IndexID: 1}}, Reason: "refused"})
	if got := b.Decisions(); got[0].Reason != "reason 3" || got[len(got)-1].Reason != "reason 52" {
		t.Errorf("%v", got)
	}
	if n := strings.Count(out.String(), "msg=placement"); n != decisionsKept+3 {
		t.Errorf("%d decisions in the log", n)
	}
}
