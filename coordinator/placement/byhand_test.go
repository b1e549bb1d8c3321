package placement

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"shoal/api/apierr"
	"shoal/coordinator"
	"shoal/coordinator/coordtest"
	"shoal/wire"
)

// byHand is a cluster of n1, n2 and n3 with index a: one shard on n1 and n2.
func byHand(t testing.TB) (*coordtest.Log, *Cluster) {
	l := coordtest.NewLog("n1", "n2", "n3")
	x := readIndex(t, "a", []string{"n1,n2"})
	x.ID = 1
	l.State.ByID[1] = x
	l.State.Members[1].Name = "beta"
	return l, NewCluster(l, Placement{}, nil)
}

// ask calls UpdateIndex. 0 leaves a number unchanged.
func ask(ctx context.Context, k *Cluster, uid string, shards, replicas uint64) (IndexStatus, error) {
	var s, r *uint64
	if shards > 0 {
		s = &shards
	}
	if replicas > 0 {
		r = &replicas
	}
	data, err := k.UpdateIndex(ctx, uid, s, r)
	var st IndexStatus
	if err != nil {
		return st, err
	}
	return st, json.Unmarshal(data, &st)
}

func TestGoalsOfAnIndexAreSetAndReported(t *testing.T) {
	for _, c := range []struct {
		shards, replicas       uint64
		wantShards, wantCopies int // in the answer, which has at most as many copies as nodes
		proposals              int
	}{
		{0, 0, 0, 2, 0},
		{4, 0, 4, 2, 1},
		{0, 3, 0, 3, 1},
		{4, 3, 4, 3, 1},
		{1, 1, 0, 1, 1}, // one shard exists already, so nothing changes
		{256, 16, 256, 3, 1},
	} {
		l, k := byHand(t)
		n := 0
		l.Before = func(*wire.Command) error { n++; return nil }
		for range 2 { // the second time there is nothing to change
			st, err := ask(t.Context(), k, "a", c.shards, c.replicas)
			if err != nil || st.UID != "a" || st.ShardsWanted != c.wantShards || st.ReplicaGoal != c.wantCopies || n != c.proposals {
				t.Errorf("%+v: %+v after %d proposals, %v", c, st, n, err)
			}
		}
		if x := l.State.ByID[1]; x.ShardGoal != int(c.shards) || x.ReplicaGoal != int(c.replicas) {
			t.Errorf("%+v: goals %d and %d are stored", c, x.ShardGoal, x.ReplicaGoal)
		}
	}
}

// The number of copies can be left to the size of the index again.
func TestAnExplicitNumberOfCopiesCanBeTakenBack(t *testing.T) {
	_, k := byHand(t)
	if st, err := ask(t.Context(), k, "a", 0, 3); err != nil || st.ReplicaGoal != 3 || st.ReplicaReason != "three: set for this index" {
		t.Fatalf("%+v, %v", st, err)
	}
	none := uint64(0)
	data, err := k.UpdateIndex(t.Context(), "a", nil, &none)
	if err != nil || !strings.Contains(string(data), `"replicaReason":"two: survives one failure"`) {
		t.Errorf("%s, %v", data, err)
	}
}

func TestGoalsOutOfRangeAreRefused(t *testing.T) {
	none, seventeen, many, one := uint64(0), uint64(17), uint64(257), uint64(1)
	for _, c := range []struct {
		uid              string
		shards, replicas *uint64
		want             string
	}{
		{"a", &none, nil, "Invalid value at `.shards`: an index has between 1 and 256 shards."},
		{"a", &many, &one, "Invalid value at `.shards`: an index has between 1 and 256 shards."},
		{"a", nil, &seventeen, "Invalid value at `.replicas`: a shard has between 1 and 16 replicas, or with 0 as many as the size of its index says."},
		{"a", &one, &seventeen, "Invalid value at `.replicas`: a shard has between 1 and 16 replicas, or with 0 as many as the size of its index says."},
		{"b", &one, &one, "Index `b` not found."},
	} {
		l, k := byHand(t)
		_, err := k.UpdateIndex(t.Context(), c.uid, c.shards, c.replicas)
		var told *apierr.Error
		if !errors.As(err, &told) || told.Message != c.want || l.State.Applied() != 0 {
			t.Errorf("%s: %v, want %s", c.uid, err, c.want)
		}
	}
}

// If another change of the index comes first, the goal is set again on the new state. After
// some tries the operator gets the error. Any other error is returned at once.
func TestGoalsAreSetAgainWhenTheIndexChangedMeanwhile(t *testing.T) {
	refused := errors.New("refused")
	for _, c := range []struct {
		name   string
		before func(l *coordtest.Log, try int, stop func()) error
		tries  int
		want   error
	}{
		{"changed twice", func(l *coordtest.Log, try int, _ func()) error {
			if try <= 2 {
				next := l.State.ByID[1].Clone()
				next.Version++
				l.State.ByID[1] = next
			}
			return nil
		}, 3, nil},
		{"changed each time", func(*coordtest.Log, int, func()) error { return coordinator.ErrFenced }, 22, coordinator.ErrFenced},
		{"no leader", func(*coordtest.Log, int, func()) error { return refused }, 1, refused},
		{"the caller left", func(_ *coordtest.Log, _ int, stop func()) error { stop(); return coordinator.ErrFenced }, 1, context.Canceled},
	} {
		synctest.Test(t, func(t *testing.T) {
			l, k := byHand(t)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			tries := 0
			l.Before = func(*wire.Command) error { tries++; return c.before(l, tries, stop) }
			st, err := ask(ctx, k, "a", 0, 3)
			if !errors.Is(err, c.want) || tries != c.tries || (err == nil) != (st.ReplicaGoal == 3) {
				t.Errorf("%s: %+v, %v after %d tries", c.name, st, err, tries)
			}
			if x := l.State.ByID[1]; c.want == nil && (x.Version != 2 || x.ReplicaGoal != 3) {
				t.Errorf("%s: version %d, goal %d", c.name, x.Version, x.ReplicaGoal)
			}
		})
	}
}

func TestANodeIsDrainedByIdOrName(t *testing.T) {
	for name, want := range map[string]string{"n2": "n2", "beta": "n2", "n3": "n3"} {
		_, k := byHand(t)
		for _, off := range []bool{false, true} {
			data, err := k.Drain(t.Context(), name, off)
			var st NodeStatus
			if err != nil || json.Unmarshal(data, &st) != nil || string(st.ID) != want || st.Draining == off {
				t.Errorf("%s, off %v: %s, %v", name, off, data, err)
			}
		}
	}
	for _, version := range []int{wire.DrainingSince - 1, wire.DrainingSince} {
		l, k := byHand(t)
		for _, n := range l.State.Members {
			n.Version = version
		}
		var sent wire.Change
		l.Before = func(c *wire.Command) error { sent = c.Update.Changes[0]; return nil }
		if _, err := k.Drain(t.Context(), "n2", false); err != nil || (sent.PutDraining != nil) != (version == wire.DrainingSince) || !l.State.Members[1].Draining {
			t.Errorf("in a log of version %d: %+v, %v", version, sent, err)
		}
	}
	l, k := byHand(t)
	l.Before = func(*wire.Command) error { return coordinator.ErrFenced }
	if _, err := k.Drain(t.Context(), "n2", false); err == nil || !strings.Contains(err.Error(), "Node `n2` is not a member of the cluster.") {
		t.Errorf("a node that was removed meanwhile: %v", err)
	}
	if _, err := k.Drain(t.Context(), "gamma", false); err == nil || !strings.Contains(err.Error(), "Node `gamma` is not a member of the cluster.") {
		t.Errorf("a node that is no member: %v", err)
	}
	refused := errors.New("refused")
	l.Before = func(*wire.Command) error { return refused }
	if _, err := k.Drain(t.Context(), "n2", false); !errors.Is(err, refused) || l.State.Members[1].Draining {
		t.Errorf("without a leader: %v", err)
	}
}

func TestStatusReportsWhatWorkWaitsFor(t *testing.T) {
	_, k := byHand(t)
	for _, waits := range [][]string{nil, {"a: a slow disk", "b: a leader"}} {
		if st := k.Status(k.look(t.Context()), Work{Waits: waits}); strings.Join(st.Waits, ";") != strings.Join(waits, ";") || st.Waits == nil {
			t.Errorf("%v instead of %v", st.Waits, waits)
		}
	}
}
