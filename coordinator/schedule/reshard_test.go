package schedule

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"shoal/coordinator/placement"
	"shoal/wire"
)

// After a change of the number of shards every document has its former ordinal, and waiting
// writes follow.
func TestAReshardKeepsOrdinalsAndWrites(t *testing.T) {
	for _, size := range []int{0, 5, 1000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			r := newRig(t, "n1", "n2", "n3")
			r.run()
			ctx := context.Background()
			var docs []string
			for i := range size {
				docs = append(docs, fmt.Sprintf(`{"id":"d%d","text":"%d %d"}`, i, i*7919, i*104729))
			}
			r.wait(r.add("m", "["+strings.Join(docs, ",")+"]", keyed("id")))
			r.wait(r.must(r.writer.DeleteDocuments(ctx, "m", []string{"d1", "d3"}, nil)))
			before := r.shards.Content("m")
			k := placement.NewCluster(r.log, placement.Placement{}, nil)
			for _, n := range []uint64{4, 1} {
				old := r.index("m")
				if _, err := k.UpdateIndex(ctx, "m", &n, nil); err != nil {
					t.Fatal(err)
				}
				late := r.add("m", `[]`)
				for {
					changed := r.log.Changed()
					if x := r.index("m"); len(x.Shards) == int(n) && x.ShardGoal == 0 {
						break
					}
					<-changed
				}
				r.wait(late)
				x := r.index("m")
				if x.ID != old.ID || x.Version <= old.Version || len(x.Next) > 0 || x.Shards[0].Number <= old.Shards[len(old.Shards)-1].Number {
					t.Errorf("after %d: %+v", n, x)
				}
				if x.Documents() != uint64(len(before)) {
					t.Errorf("%d documents, had %d", x.Documents(), len(before))
				}
				after := r.shards.Content("m")
				for id, d := range before {
					if after[id] != d {
						t.Fatalf("%s: %+v was %+v", id, after[id], d)
					}
				}
			}
			if size > 3 {
				r.wait(r.add("m", `[{"id":"new"}]`))
				if got := r.shards.Content("m")["new"].Ordinal; got != 1 {
					t.Errorf("the next ordinal is %d, want the smallest free 1", got)
				}
			}
		})
	}
}

// Shards of a former program are built again once all nodes know shards that number their
// documents without gaps: a small index by itself, once, and a large one when its number of
// shards is set. Ordinals stay.
func TestShardsOfAFormerProgramAreNumberedAgain(t *testing.T) {
	r := newRig(t, "n1", "n2")
	speak(t, r, wire.RowsSince-1)
	r.run()
	r.wait(r.add("m", `[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5}]`))
	goal(t, r, 2, 0)
	until(t, r, "two shards", func(x *wire.Index) bool { return len(x.Shards) == 2 && x.ShardGoal == 0 })
	before, old := r.shards.Content("m"), r.index("m")
	if !old.Sparse() {
		t.Fatalf("a former program made %+v", old.Stats)
	}
	speak(t, r, wire.RowsSince)
	late := r.add("m", `[{"id":6}]`)
	until(t, r, "another numbering", func(x *wire.Index) bool { return !x.Sparse() && x.ShardGoal == 0 })
	r.wait(late)
	x := r.index("m")
	if len(x.Shards) != 2 || x.Shards[0].Number == old.Shards[0].Number || x.Documents() != 6 {
		t.Errorf("after it: %+v", x)
	}
	after := r.shards.Content("m")
	for id, d := range before {
		if after[id] != d {
			t.Errorf("%s: %+v was %+v", id, after[id], d)
		}
	}
}

// A leader may end at any step of a numbering: before any entry and before any build. The
// next one completes it. No document changes, and a write that waits is not lost.
func TestARenumberingContinuesAfterAnyStepOfADeadLeader(t *testing.T) {
	steps := 0
	for last := false; !last; steps++ {
		if steps > 50 {
			t.Fatal("a numbering takes more than 50 steps")
		}
		last = renumberAfterCut(t, steps)
	}
	t.Logf("%d steps", steps-1)
	if steps < 5 {
		t.Errorf("a numbering took %d steps only", steps-1)
	}
}

// renumberAfterCut ends the leader of a numbering at one of its steps, the n-th, and lets
// another one finish. It reports whether the numbering needed no such step.
func renumberAfterCut(t *testing.T, n int) (whole bool) {
	r := newRig(t, "n1", "n2")
	speak(t, r, wire.RowsSince-1)
	r.run()
	r.wait(r.add("m", `[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5}]`))
	r.wait(r.must(r.writer.DeleteDocuments(t.Context(), "m", []string{"2"}, nil)))
	goal(t, r, 2, 0)
	until(t, r, "two shards", func(x *wire.Index) bool { return len(x.Shards) == 2 && x.ShardGoal == 0 })
	r.stop()
	before := r.shards.Content("m")
	speak(t, r, wire.RowsSince)
	late := r.add("m", `[{"id":6}]`)

	cut, step := make(chan struct{}), atomic.Int64{}
	end := sync.OnceFunc(func() { close(cut) })
	next := func() error {
		if step.Add(1) <= int64(n) {
			return nil
		}
		end()
		return wire.ErrUnavailable
	}
	r.log.Mu.Lock()
	r.log.Before = func(*wire.Command) error { return next() }
	r.log.Mu.Unlock()
	r.shards.Mu.Lock()
	r.shards.Hook = func(context.Context, wire.NodeID, *wire.BuildRequest) (*wire.BuildReply, error) { return nil, next() }
	r.shards.Mu.Unlock()
	r.run()
	done := time.After(20 * time.Second)
	for whole = false; !whole; {
		changed := r.log.Changed()
		if task, ok, _ := r.log.Task(late); ok && task.Status > wire.Processing && !r.index("m").Sparse() {
			whole = true
			break
		}
		select {
		case <-cut:
		case <-changed:
			continue
		case <-done:
			t.Fatalf("step %d: neither an end nor a numbering: %+v", n, r.index("m"))
		}
		break
	}
	r.stop()
	r.log.Mu.Lock()
	r.log.Before = nil
	r.log.Mu.Unlock()
	r.shards.Mu.Lock()
	r.shards.Hook = nil
	r.shards.Mu.Unlock()
	r.run()
	until(t, r, "a numbering", func(x *wire.Index) bool { return !x.Sparse() && x.ShardGoal == 0 && len(x.Next) == 0 })
	if task := r.wait(late); task.Status != wire.Succeeded {
		t.Errorf("step %d: the write that waited: %+v", n, task)
	}
	after := r.shards.Content("m")
	if len(after) != len(before)+1 {
		t.Errorf("step %d: %d documents, want %d", n, len(after), len(before)+1)
	}
	for id, d := range before {
		if after[id] != d {
			t.Errorf("step %d: %s: %+v was %+v", n, id, after[id], d)
		}
	}
	r.stop()
	return whole
}

// A shard count that cannot be reached is given up, not retried forever.
func TestAnUnreachableShardCountIsGivenUp(t *testing.T) {
	r := newRig(t)
	r.run()
	ctx := context.Background()
	r.wait(r.add("m", `[{"id":1}]`))
	r.shards.Mu.Lock()
	r.shards.Hook = func(context.Context, wire.NodeID, *wire.BuildRequest) (*wire.BuildReply, error) {
		return &wire.BuildReply{Err: &wire.BuildError{Failure: wire.Failure{Message: "no", Code: "internal"}}}, nil
	}
	r.shards.Mu.Unlock()
	n := uint64(3)
	if _, err := placement.NewCluster(r.log, placement.Placement{}, nil).UpdateIndex(ctx, "m", &n, nil); err != nil {
		t.Fatal(err)
	}
	for {
		changed := r.log.Changed()
		if x := r.index("m"); x.ShardGoal == 0 && len(x.Next) == 0 {
			break
		}
		<-changed
	}
	if x := r.index("m"); len(x.Shards) != 1 || x.Documents() != 1 {
		t.Errorf("left %+v", x)
	}
}

// speak gives all nodes a program of some version.
func speak(t *testing.T, r *rig, version int) {
	t.Helper()
	for _, n := range r.log.Catalog().Nodes() {
		next := *n
		next.Version = version
		if _, err := r.log.Propose(t.Context(), &wire.Command{Update: &wire.Update{Changes: []wire.Change{{PutNode: &next}}}}); err != nil {
			t.Fatal(err)
		}
	}
}

// goal sets the wanted numbers of shards and replicas of index m; 0 leaves a number unchanged.
func goal(t *testing.T, r *rig, shards, replicas uint64) {
	t.Helper()
	var s, p *uint64
	if shards > 0 {
		s = &shards
	}
	if replicas > 0 {
		p = &replicas
	}
	if _, err := placement.NewCluster(r.log, placement.Placement{}, nil).UpdateIndex(t.Context(), "m", s, p); err != nil {
		t.Fatal(err)
	}
}

// until waits for a state of index m.
func until(t *testing.T, r *rig, what string, done func(*wire.Index) bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		changed := r.log.Changed()
		if done(r.index("m")) {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("%s did not come: %+v", what, r.index("m"))
		}
	}
}

// waits waits until Waits lists something, or nothing.
func waits(t *testing.T, s *Scheduler, some bool) {
	t.Helper()
	for begun := time.Now(); len(s.Waits()) > 0 != some; {
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("what work waits for: %q", s.Waits())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A regression test: with one copy of each shard, and the node of a planned shard dead, the
// tasks of the index waited until the leader was restarted.
func TestAReshardOntoADeadNodeIsPlannedAgain(t *testing.T) {
	for _, gone := range []bool{false, true} {
		r := newRig(t, "n1", "n2", "n3")
		r.cfg.Placement.Replicas = 1
		s := r.run()
		r.wait(r.add("m", `[{"id":1},{"id":2},{"id":3}]`))
		home := r.index("m").Shards[0].Replicas[0].Node
		dead := wire.NodeID("n2")
		if home == dead {
			dead = "n3"
		}
		r.shards.Mu.Lock()
		r.shards.Hook = func(_ context.Context, node wire.NodeID, _ *wire.BuildRequest) (*wire.BuildReply, error) {
			if node == dead {
				r.shards.SuspectNode(dead)
				return nil, fmt.Errorf("node %s: %w", node, wire.ErrUnavailable)
			}
			return nil, nil
		}
		r.shards.Mu.Unlock()
		goal(t, r, 3, 0)
		if gone {
			if _, err := r.log.Propose(t.Context(), &wire.Command{Update: &wire.Update{Changes: []wire.Change{{DropNode: &dead}}}}); err != nil {
				t.Fatal(err)
			}
		} else {
			until(t, r, "a plan", func(x *wire.Index) bool { return len(x.Next) == 3 })
			waits(t, s, true)
		}
		until(t, r, "three shards", func(x *wire.Index) bool { return len(x.Shards) == 3 && x.ShardGoal == 0 })
		r.wait(r.add("m", `[{"id":4}]`))
		if n := r.index("m").Documents(); n != 4 {
			t.Errorf("%d documents", n)
		}
		r.stop()
	}
}

// A regression test: the state of the cluster said for minutes that a change of shards waited
// for a starting node, while it was building the new shards.
func TestAReshardThatContinuesIsNotReportedAsWaiting(t *testing.T) {
	r := newRig(t, "n1", "n2", "n3")
	r.cfg.Placement.Replicas = 1
	s := r.run()
	r.wait(r.add("m", `[{"id":1},{"id":2},{"id":3}]`))
	home := r.index("m").Shards[0].Replicas[0].Node
	builds, going := make(chan struct{}), make(chan struct{}, 100)
	var again atomic.Bool
	r.shards.Mu.Lock()
	r.shards.Hook = func(ctx context.Context, node wire.NodeID, _ *wire.BuildRequest) (*wire.BuildReply, error) {
		if node != home && !again.Load() {
			r.shards.SuspectNode(node)
			return nil, fmt.Errorf("node %s: %w", node, wire.ErrUnavailable)
		}
		if again.Load() {
			going <- struct{}{}
			select {
			case <-builds:
			case <-ctx.Done():
			}
		}
		return nil, nil
	}
	r.shards.Mu.Unlock()
	goal(t, r, 2, 0)
	waits(t, s, true)
	again.Store(true)
	<-going
	waits(t, s, false)
	close(builds)
	until(t, r, "two shards", func(x *wire.Index) bool { return len(x.Shards) == 2 && x.ShardGoal == 0 })
}

// A goal that was reset right after a plan was made was taken for that of the plan: the change
// went on, and could publish shards that nobody wanted any more.
func TestAGoalThatChangesWhileAPlanIsMadeEndsThePlan(t *testing.T) {
	r := newRig(t, "n1", "n2", "n3")
	r.run()
	r.wait(r.add("m", `[{"id":1},{"id":2},{"id":3}]`))
	var done atomic.Bool // the other goal leaves the plan in the index
	r.log.Mu.Lock()
	r.log.After = func(c *wire.Command) {
		if u := c.Update; u != nil && len(u.Changes) == 1 && u.Changes[0].PutIndex != nil && len(u.Changes[0].PutIndex.Next) == 3 && !done.Swap(true) {
			goal(t, r, 1, 0)
		}
	}
	r.log.Mu.Unlock()
	goal(t, r, 3, 0)
	until(t, r, "the end of the change", func(x *wire.Index) bool { return x.ShardGoal == 0 && len(x.Next) == 0 })
	if n := len(r.index("m").Shards); n != 1 {
		t.Errorf("%d shards", n)
	}
}

func TestResettingTheGoalEndsAWaitingReshard(t *testing.T) {
	r := newRig(t, "n1", "n2", "n3")
	r.run()
	r.wait(r.add("m", `[{"id":1},{"id":2},{"id":3}]`))
	r.shards.Mu.Lock()
	r.shards.Hook = func(context.Context, wire.NodeID, *wire.BuildRequest) (*wire.BuildReply, error) {
		return nil, wire.ErrUnavailable
	}
	r.shards.Mu.Unlock()
	goal(t, r, 3, 0)
	until(t, r, "a plan", func(x *wire.Index) bool { return len(x.Next) == 3 })
	goal(t, r, 1, 0)
	until(t, r, "the end of the change", func(x *wire.Index) bool { return len(x.Shards) == 1 && x.ShardGoal == 0 && len(x.Next) == 0 })
	r.shards.Mu.Lock()
	r.shards.Hook = nil
	r.shards.Mu.Unlock()
	r.wait(r.add("m", `[{"id":4}]`))
}

// A regression test: replicas: 3, set during a reshard, was acknowledged and was 2 again
// afterwards.
func TestGoalsSetDuringAReshardOrABatchAreKept(t *testing.T) {
	for _, during := range []string{"reshard", "batch"} {
		r := newRig(t, "n1", "n2", "n3")
		r.run()
		r.wait(r.add("m", `[{"id":1},{"id":2},{"id":3}]`))
		var once sync.Once
		reached, set := make(chan struct{}), make(chan struct{})
		r.shards.Mu.Lock()
		r.shards.Hook = func(context.Context, wire.NodeID, *wire.BuildRequest) (*wire.BuildReply, error) {
			once.Do(func() { close(reached) })
			<-set
			return nil, nil
		}
		r.shards.Mu.Unlock()
		var task uint32
		if during == "reshard" {
			goal(t, r, 2, 0)
		} else {
			task = r.add("m", `[{"id":4}]`)
		}
		<-reached
		goal(t, r, 0, 3)
		if during == "batch" {
			goal(t, r, 2, 0)
		}
		close(set)
		if during == "batch" {
			r.wait(task)
		}
		until(t, r, "two shards", func(x *wire.Index) bool { return len(x.Shards) == 2 && x.ShardGoal == 0 })
		if n := r.index("m").ReplicaGoal; n != 3 {
			t.Errorf("set during a %s: %d replicas are wanted, 3 were acknowledged", during, n)
		}
		r.stop()
	}
}
