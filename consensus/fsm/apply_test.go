package fsm

import (
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/hashicorp/raft"

	"shoal/consensus/entry"
	"shoal/consensus/state"
	"shoal/wire"
)

// script applies commands one by one in term 1.
type script struct {
	t     *testing.T
	fsm   *FSM
	index uint64
}

func newScript(t *testing.T) *script {
	s := &script{t: t, fsm: openTestFSM(t, vfs.NewMem())}
	t.Cleanup(func() {
		if err := s.fsm.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *script) do(cmd *wire.Command) *wire.Result {
	s.t.Helper()
	body, err := entry.Encode(cmd, wire.Version)
	if err != nil {
		s.t.Fatal(err)
	}
	s.index++
	at := cmd.At
	if at == 0 {
		at = int64(s.index) * 1000
	}
	r, ok := s.fsm.Apply(&raft.Log{Index: s.index, Term: 1, Type: raft.LogCommand, Data: entry.Stamp(at, 0, body, false)}).(*wire.Result)
	if !ok {
		s.t.Fatalf("entry %d: %v", s.index, s.fsm.Failure())
	}
	return r
}

func (s *script) commit(c wire.Commit) wire.CommitResult {
	s.t.Helper()
	c.Term = 1
	return s.do(&wire.Command{Commit: []wire.Commit{c}}).Commits[0]
}

func (s *script) task(uid uint32) *wire.Task {
	s.t.Helper()
	t, ok, err := s.fsm.Task(uid)
	if err != nil || !ok {
		s.t.Fatalf("task %d: %v", uid, err)
	}
	return t
}

func replicaOn(n int, state wire.ReplicaState) wire.Replica {
	return wire.Replica{Node: nodeName(n), Incarnation: "x", State: state}
}

func TestRequestIDsAreAppliedOnce(t *testing.T) {
	s := newScript(t)
	cmd := addTask("movies")
	cmd.Enqueue.RequestID = "one"
	first, again := s.do(cmd).Task, s.do(cmd).Task
	if first.UID != 0 || again.UID != 0 || again.EnqueuedAt != first.EnqueuedAt || again.Status != wire.Enqueued {
		t.Errorf("%+v and %+v", first, again)
	}
	// The answer stays the same after the task is finished and deleted.
	s.commit(finish(1, 0).Commit[0])
	s.do(&wire.Command{Delete: &wire.DeleteTasks{UIDs: []uint32{0}}})
	if last := s.do(cmd).Task; last.UID != 0 {
		t.Errorf("became task %d", last.UID)
	}
	// An hour of log time later the id is free.
	cmd.At = 2 * state.RequestWindow
	other := addTask("movies")
	other.Enqueue.RequestID, other.At = "two", 2*state.RequestWindow
	s.do(other)
	if late := s.do(cmd).Task; late.UID != 2 {
		t.Errorf("task %d", late.UID)
	}

	up := &wire.Command{Update: &wire.Update{RequestID: "u", Changes: []wire.Change{{PutIndex: &wire.Index{UID: "movies"}}}}}
	a, b := s.do(up), s.do(up)
	if a.Fenced || b.Fenced || !slices.Equal(a.Indexes, b.Indexes) || len(s.fsm.Catalog.Load().Indexes()) != 1 {
		t.Errorf("%+v and %+v", a, b)
	}
}

func TestTimesNeverGoBack(t *testing.T) {
	s := newScript(t)
	cmd := addTask("movies")
	cmd.At = 5000
	a := s.do(cmd).Task
	cmd = addTask("movies")
	cmd.At = 4000
	if b := s.do(cmd).Task; b.EnqueuedAt != a.EnqueuedAt+1 {
		t.Errorf("%d after %d", b.EnqueuedAt, a.EnqueuedAt)
	}
}

func TestStagedUnderAnOldEpoch(t *testing.T) {
	s := newScript(t)
	s.do(&wire.Command{Epoch: &wire.RaiseEpoch{StageEpoch: 5, MinStageEpoch: 3}})
	cmd := addTask("movies")
	cmd.Enqueue.RequestID = "r"
	cmd.Enqueue.Task.Payload.Blob = &wire.BlobRef{ID: "b"}
	cmd.Enqueue.StageEpoch = 2
	if res := s.do(cmd); !res.Restage || res.Task != nil {
		t.Errorf("%+v", res)
	}
	cmd.Enqueue.StageEpoch = s.fsm.Catalog.Load().StageEpoch()
	if res := s.do(cmd); res.Restage || res.Task == nil {
		t.Errorf("the same request, staged again: %+v", res)
	}
	cmd = addTask("movies") // inline payloads have no epoch
	if res := s.do(cmd); res.Restage {
		t.Errorf("%+v", res)
	}
}

func TestCommitFinishesTasks(t *testing.T) {
	s := newScript(t)
	for range 4 {
		cmd := addTask("movies")
		cmd.Enqueue.Task.Payload = wire.Payload{Inline: []byte("[]"), RawSize: 2}
		s.do(cmd)
	}
	started := s.do(&wire.Command{Start: &wire.Start{Term: 1, Batch: wire.Batch{UID: wire.NoBatch, Tasks: []uint32{0, 1, 2}}}})
	if len(started.Batches) != 1 || started.Batches[0] != 0 {
		t.Fatalf("%+v", started)
	}
	if x := s.task(1); x.Status != wire.Processing || *x.Batch != 0 || x.StartedAt == 0 {
		t.Errorf("started: %+v", x)
	}
	begun := s.task(1).StartedAt
	res := s.commit(wire.Commit{
		Batch: wire.Batch{UID: 0, Tasks: []uint32{0, 1, 2}, Strategy: "why", Stats: []byte("{}")},
		Results: []wire.TaskResult{
			{UID: 0, Status: wire.Succeeded, Details: []byte(`{"n":1}`)},
			{UID: 1, Status: wire.Failed, Error: &wire.Failure{Message: "m", Code: "c"}},
		},
	})
	if res.Fenced || res.Batch != 0 {
		t.Fatalf("%+v", res)
	}
	done, failed, back := s.task(0), s.task(1), s.task(2)
	if done.Status != wire.Succeeded || string(done.Details) != `{"n":1}` || done.Payload.Inline != nil || done.StartedAt != begun {
		t.Errorf("done: %+v", done)
	}
	if failed.Error == nil || failed.FinishedAt != done.FinishedAt || failed.FinishedAt <= begun {
		t.Errorf("failed: %+v", failed)
	}
	if back.Status != wire.Enqueued || back.Batch != nil || back.StartedAt != 0 || back.Payload.Inline == nil {
		t.Errorf("without a result: %+v", back)
	}
	b, _, err := s.fsm.Batch(0)
	if err != nil || !slices.Equal(b.Tasks, []uint32{0, 1}) || b.Strategy != "why" || b.FinishedAt != done.FinishedAt ||
		b.EnqueuedAt != [2]int64{s.task(0).EnqueuedAt, s.task(1).EnqueuedAt} {
		t.Errorf("batch: %+v, %v", b, err)
	}
	// The same commit again does not fit any more.
	if res := s.commit(wire.Commit{Batch: wire.Batch{UID: 0}, Results: []wire.TaskResult{{UID: 0, Status: wire.Failed}}}); !res.Fenced {
		t.Errorf("a second end: %+v", res)
	}
	// A batch that is abandoned leaves no record, and its number is not used again.
	s.do(&wire.Command{Start: &wire.Start{Term: 1, Batch: wire.Batch{UID: wire.NoBatch, Tasks: []uint32{2}}}})
	s.commit(wire.Commit{Batch: wire.Batch{UID: 1}})
	if _, ok, _ := s.fsm.Batch(1); ok || s.task(2).Status != wire.Enqueued {
		t.Error("a batch that was given up is still there")
	}
	if res := s.commit(finish(1, 2).Commit[0]); res.Batch != 2 {
		t.Errorf("next batch: %+v", res)
	}
}

func TestCancelationTakesTasksOutOfTheirBatch(t *testing.T) {
	s := newScript(t)
	for range 3 {
		s.do(addTask("movies"))
	}
	s.do(&wire.Command{Enqueue: &wire.Enqueue{Task: wire.Task{Kind: state.Cancelation}}})
	s.do(&wire.Command{Start: &wire.Start{Term: 1, Batch: wire.Batch{UID: wire.NoBatch, Tasks: []uint32{0, 1}}}})
	res := s.commit(wire.Commit{
		Batch:   wire.Batch{UID: wire.NoBatch, Tasks: []uint32{3}},
		Results: []wire.TaskResult{{UID: 3, Status: wire.Succeeded}},
		Changes: []wire.Change{{CancelTasks: &wire.CancelTasks{UIDs: []uint32{0, 2}, By: 3}}},
	})
	if res.Batch != 1 {
		t.Fatalf("%+v", res)
	}
	for _, uid := range []uint32{0, 2} {
		if x := s.task(uid); x.Status != wire.Canceled || *x.CanceledBy != 3 || *x.Batch != 1 || x.FinishedAt != s.task(3).FinishedAt {
			t.Errorf("canceled: %+v", x)
		}
	}
	old, _, _ := s.fsm.Batch(0)
	if !slices.Equal(old.Tasks, []uint32{1}) || s.task(1).Status != wire.Processing {
		t.Errorf("the running batch: %+v", old)
	}
	page, total, err := s.fsm.Batches(&wire.TaskQuery{CanceledBy: []uint32{3}, Limit: 9})
	if err != nil || total != 1 || page[0].UID != 1 || !slices.Equal(page[0].Tasks, []uint32{0, 2, 3}) {
		t.Errorf("by canceling task: %v, %v", page, err)
	}
}

// Bounds on enqueuedAt also found the running batch.
func TestOnlyTheStartOfARunningBatchIsFoundByDates(t *testing.T) {
	s := newScript(t)
	s.do(addTask("movies"))
	s.do(addTask("movies"))
	s.do(&wire.Command{Start: &wire.Start{Term: 1, Batch: wire.Batch{UID: wire.NoBatch, Tasks: []uint32{1}}}})
	never, ever := ptr(int64(1)), ptr(int64(1)<<62)
	for name, c := range map[string]struct {
		filter wire.TaskQuery
		found  bool
	}{
		"enqueued after":  {wire.TaskQuery{AfterEnqueuedAt: never}, false},
		"enqueued before": {wire.TaskQuery{BeforeEnqueuedAt: ever}, false},
		"started after":   {wire.TaskQuery{AfterStartedAt: never}, true},
		"started before":  {wire.TaskQuery{BeforeStartedAt: never}, false},
		"finished after":  {wire.TaskQuery{AfterFinishedAt: never}, false},
		"finished before": {wire.TaskQuery{BeforeFinishedAt: ever}, false},
		"its uid":         {wire.TaskQuery{BatchUIDs: []uint32{0}}, true},
		"its task":        {wire.TaskQuery{UIDs: []uint32{1}}, false},
		"processing":      {wire.TaskQuery{Statuses: []wire.Status{wire.Processing}}, true},
		"enqueued":        {wire.TaskQuery{Statuses: []wire.Status{wire.Enqueued}}, false},
		"its index":       {wire.TaskQuery{IndexUIDs: []string{"movies"}}, true},
	} {
		c.filter.Limit = 9
		if page, total, err := s.fsm.Batches(&c.filter); err != nil || (total == 1) != c.found || len(page) != int(total) {
			t.Errorf("%s: %d batches: %v", name, total, err)
		}
	}
	s.commit(wire.Commit{Batch: wire.Batch{UID: 0, Tasks: []uint32{1}}, Results: []wire.TaskResult{{UID: 1, Status: wire.Succeeded}}})
	if _, total, err := s.fsm.Batches(&wire.TaskQuery{AfterEnqueuedAt: never, Limit: 9}); err != nil || total != 1 {
		t.Errorf("after its end: %d batches: %v", total, err)
	}
}

// withoutFigures leaves out the record that every entry changes.
func withoutFigures(dump string) string {
	lines := strings.Split(dump, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, `"m"`) }), "\n")
}

func TestGuardsAndTermsFence(t *testing.T) {
	s := newScript(t)
	s.do(addTask("movies"))
	made := s.do(&wire.Command{Update: &wire.Update{Changes: []wire.Change{{PutIndex: &wire.Index{UID: "movies"}}}}})
	id := made.Indexes[0]
	tests := []struct {
		name   string
		commit wire.Commit
		fenced bool
	}{
		{"another version", wire.Commit{Term: 1, Guards: []wire.Guard{{IndexID: id, Version: 7}}}, true},
		{"no such index", wire.Commit{Term: 1, Guards: []wire.Guard{{IndexID: 99}}}, true},
		{"another term", wire.Commit{Term: 2}, true},
		{"a name in use", wire.Commit{Term: 1, Changes: []wire.Change{{PutIndex: &wire.Index{UID: "movies"}}}}, true},
		{"another name", wire.Commit{Term: 1, Changes: []wire.Change{{PutIndex: &wire.Index{ID: id, UID: "books"}}}}, true},
		{"all or nothing", wire.Commit{Term: 1, Changes: []wire.Change{
			{PutIndex: &wire.Index{UID: "books"}}, {RenameIndex: &wire.Rename{IndexID: id, UID: "books"}},
		}}, true},
		{"holds", wire.Commit{Term: 1, Guards: []wire.Guard{{IndexID: id}}, Changes: []wire.Change{
			{PutIndex: &wire.Index{ID: id, UID: "movies", Version: 1}},
		}}, false},
	}
	for _, test := range tests {
		test.commit.Batch.UID = wire.NoBatch
		before := withoutFigures(dump(t, s.fsm))
		res := s.do(&wire.Command{Commit: []wire.Commit{test.commit}})
		if res.Fenced != test.fenced || res.Commits[0].Fenced != test.fenced {
			t.Errorf("%s: %+v", test.name, res)
		}
		if _, ok := s.fsm.Catalog.Load().Index("books"); ok {
			t.Errorf("%s: half of a refused commit happened", test.name)
		}
		if after := withoutFigures(dump(t, s.fsm)); test.fenced && after != before {
			t.Errorf("%s: a refused commit changed the state", test.name)
		}
	}
	x, _ := s.fsm.Catalog.Load().Index("movies")
	if x.Version != 1 || x.CreatedAt == 0 || x.UpdatedAt == 0 {
		t.Errorf("%+v", x)
	}
	// One entry, two commits: each stands alone.
	res := s.do(&wire.Command{Commit: []wire.Commit{{Term: 9, Batch: wire.Batch{UID: wire.NoBatch}}, finish(1, 0).Commit[0]}})
	if !res.Fenced || !res.Commits[0].Fenced || res.Commits[1].Fenced || !slices.Equal(res.Batches, []uint32{wire.NoBatch, 0}) {
		t.Errorf("%+v", res)
	}
}

// The function of Machine.OnCommit hears of a version before anybody can ask for it, and only of versions
// that the log accepted.
func TestACommitIsToldBeforeItIsShown(t *testing.T) {
	s := newScript(t)
	planned := &wire.Index{UID: "movies", ReplicaGoal: 1, Shards: []wire.Shard{{SlotHi: wire.Slots, Replicas: []wire.Replica{replicaOn(0, wire.InSync)}}}}
	id := s.commit(wire.Commit{Batch: wire.Batch{UID: wire.NoBatch}, Changes: []wire.Change{{PutIndex: planned}}}).Indexes[0]
	var told []uint64
	hear := func(changed []*wire.Index) {
		for _, x := range changed {
			shown, ok := s.fsm.Catalog.Load().IndexByID(x.ID)
			if !ok || shown.Version >= x.Version {
				t.Errorf("version %d is told, %d is shown", x.Version, shown.Version)
			}
			told = append(told, x.Version)
		}
	}
	s.fsm.OnCommit(hear)
	put := func(version uint64, holder int) wire.CommitResult {
		next := planned.Clone()
		next.ID, next.Version = id, version
		return s.commit(wire.Commit{
			Batch: wire.Batch{UID: wire.NoBatch}, Changes: []wire.Change{{PutIndex: next}},
			Holders: []wire.ShardHolders{{IndexID: id, Nodes: []wire.NodeID{nodeName(holder)}}},
		})
	}
	if res := put(1, 1); !res.Fenced { // nobody holds it
		t.Errorf("%+v", res)
	}
	put(1, 0)
	s.do(addTask("movies"))
	put(2, 0)
	if !slices.Equal(told, []uint64{1, 2}) {
		t.Errorf("versions %v were told, want 1 and 2", told)
	}
}

// A batch that was planned before the leader decided must not undo the decision.
func TestOnlyAChangeOfItsOwnMakesAnIndexWide(t *testing.T) {
	s := newScript(t)
	planned := &wire.Index{UID: "movies", Wide: true, Shards: []wire.Shard{{SlotHi: wire.Slots, Replicas: []wire.Replica{replicaOn(0, wire.InSync)}}}}
	id := s.commit(wire.Commit{Batch: wire.Batch{UID: wire.NoBatch}, Changes: []wire.Change{{PutIndex: planned}}}).Indexes[0]
	wide := func() bool {
		x, _ := s.fsm.Catalog.Load().IndexByID(id)
		return x.Wide
	}
	put := func(c wire.Change) bool {
		return !s.do(&wire.Command{Update: &wire.Update{Changes: []wire.Change{c}}}).Fenced
	}
	if !wide() {
		t.Error("a new index is not what its record says")
	}
	if !put(wire.Change{PutWide: &wire.WideChange{IndexID: id}}) || wide() {
		t.Error("the index is still wide")
	}
	next := planned.Clone()
	next.ID, next.Version = id, 1
	if !put(wire.Change{PutIndex: next}) || wide() {
		t.Error("a record that was made before the decision undid it")
	}
	s.commit(wire.Commit{Batch: wire.Batch{UID: wire.NoBatch}, Changes: []wire.Change{{PutIndex: next}}})
	if wide() {
		t.Error("a batch that was planned before the decision undid it")
	}
	if !put(wire.Change{PutWide: &wire.WideChange{IndexID: id, Wide: true}}) || !wide() {
		t.Error("the index is not wide")
	}
	if put(wire.Change{PutWide: &wire.WideChange{IndexID: id + 1, Wide: true}}) {
		t.Error("an index that does not exist was made wide")
	}
}

func TestReplicasBelongToTheCatalogue(t *testing.T) {
	s := newScript(t)
	planned := &wire.Index{UID: "movies", ReplicaGoal: 2, Shards: []wire.Shard{{
		SlotHi: wire.Slots, Replicas: []wire.Replica{replicaOn(0, wire.InSync), replicaOn(1, wire.InSync)},
	}}}
	id := s.commit(wire.Commit{Batch: wire.Batch{UID: wire.NoBatch}, Changes: []wire.Change{{PutIndex: planned}}}).Indexes[0]
	replicas := func() []wire.Replica {
		x, _ := s.fsm.Catalog.Load().IndexByID(id)
		return x.Shards[0].Replicas
	}
	put := func(r wire.Replica, remove bool) *wire.Result {
		return s.do(&wire.Command{Update: &wire.Update{Changes: []wire.Change{{PutReplica: &wire.ReplicaChange{IndexID: id, Replica: r, Remove: remove}}}}})
	}
	// A third replica arrives after the batch was planned; the batch's record does
	// not know it and its delta is on nodes 0 and 2.
	put(replicaOn(2, wire.InSync), false)
	next := planned.Clone()
	next.ID, next.Version, next.ReplicaGoal = id, 1, 7
	res := s.commit(wire.Commit{
		Batch: wire.Batch{UID: wire.NoBatch}, Changes: []wire.Change{{PutIndex: next}},
		Holders: []wire.ShardHolders{{IndexID: id, Nodes: []wire.NodeID{nodeName(0), nodeName(2)}}},
	})
	want := []wire.Replica{replicaOn(0, wire.InSync), replicaOn(1, wire.Copying), replicaOn(2, wire.InSync)}
	if res.Fenced || !slices.Equal(replicas(), want) {
		t.Errorf("%+v: %+v", res, replicas())
	}
	if x, _ := s.fsm.Catalog.Load().IndexByID(id); x.ReplicaGoal != 2 || x.Version != 1 {
		t.Errorf("%+v", x)
	}
	// No in-sync holder: nothing happens.
	next.Version = 2
	res = s.commit(wire.Commit{
		Batch: wire.Batch{UID: wire.NoBatch}, Changes: []wire.Change{{PutIndex: next}},
		Holders: []wire.ShardHolders{{IndexID: id, Nodes: []wire.NodeID{nodeName(1)}}},
	})
	if !res.Fenced || !slices.Equal(replicas(), want) {
		t.Errorf("%+v: %+v", res, replicas())
	}
	// The last in-sync copy stays.
	if r := put(replicaOn(0, wire.Copying), true); r.Fenced {
		t.Error("one of two in-sync replicas may go")
	}
	if r := put(replicaOn(2, wire.Copying), false); !r.Fenced {
		t.Error("the last in-sync replica was given up")
	}
	if r := put(replicaOn(2, wire.Copying), true); !r.Fenced {
		t.Error("the last in-sync replica was removed")
	}
	if !slices.Equal(replicas(), want[1:]) {
		t.Errorf("%+v", replicas())
	}
}

func TestSwapRewritesHistory(t *testing.T) {
	s := newScript(t)
	for _, name := range []string{"a", "b"} {
		s.do(&wire.Command{Update: &wire.Update{Changes: []wire.Change{{PutIndex: &wire.Index{UID: name}}}}})
	}
	s.do(addTask("a")) // 0, finished
	s.do(addTask("b")) // 1, finished
	body := []byte(`{"swaps":[{"indexes":["a","b"],"rename":false}]}`)
	swap := &wire.Command{Enqueue: &wire.Enqueue{Task: wire.Task{Kind: "indexSwap", Indexes: []string{"a", "b"}, Details: body, Body: body}}}
	s.commit(finish(1, 0, 1).Commit[0])
	s.do(swap)         // 2
	s.do(addTask("a")) // 3, newer than the swap
	do := func(task uint32, changes ...wire.Change) {
		t.Helper()
		c := finish(1, task).Commit[0]
		c.Changes = changes
		if res := s.commit(c); res.Fenced {
			t.Fatalf("%+v", res)
		}
	}
	do(2, wire.Change{SwapNames: &[2]uint32{1, 2}})
	s.do(swap) // 4
	do(4, wire.Change{SwapNames: &[2]uint32{1, 2}})
	s.do(addTask("b")) // 5 = a rename of b to c
	do(5, wire.Change{RenameIndex: &wire.Rename{IndexID: 2, UID: "c"}})
	names := func(uid uint32) []string { return state.AppendNames(nil, s.task(uid)) }
	for uid, want := range map[uint32][]string{
		0: {"a"}, 1: {"c"}, 2: {"c", "a"}, 3: {"c"}, 4: {"a", "c"}, 5: {"b"},
	} {
		if got := names(uid); !slices.Equal(got, want) {
			t.Errorf("task %d names %v instead of %v", uid, got, want)
		}
	}
	if got := string(s.task(2).Details); got != `{"swaps":[{"indexes":["c","a"],"rename":false}]}` {
		t.Errorf("details of the older swap: %s", got)
	}
	if got := uids(t, s.fsm, &wire.TaskQuery{IndexUIDs: []string{"c"}}); !slices.Equal(got, []uint32{1, 3}) {
		t.Errorf("tasks of c: %v", got)
	}
	page, total, err := s.fsm.Tasks(&wire.TaskQuery{IndexUIDs: []string{"c"}, Limit: 9})
	if err != nil || total != 4 || !slices.Equal(uidsOfTasks(page), []uint32{3, 1}) {
		t.Errorf("list of c: %v of %d, %v", uidsOfTasks(page), total, err)
	}
}

func TestDeletion(t *testing.T) {
	s := newScript(t)
	for range 6 {
		s.do(addTask("movies"))
	}
	s.commit(finish(1, 0, 1, 2).Commit[0])
	s.commit(finish(1, 3).Commit[0])
	set := roaring.BitmapOf(3, 4, 77)
	bitmap, err := set.ToBytes()
	if err != nil {
		t.Fatal(err)
	}
	if res := s.do(&wire.Command{Delete: &wire.DeleteTasks{UIDs: []uint32{1, 5}, Bitmap: bitmap}}); res.Deleted != 2 {
		t.Errorf("%+v", res)
	}
	if got := uids(t, s.fsm, &wire.TaskQuery{}); !slices.Equal(got, []uint32{0, 2, 4, 5}) {
		t.Errorf("left: %v", got)
	}
	if b, ok, err := s.fsm.Batch(0); !ok || err != nil || !slices.Equal(b.Tasks, []uint32{0, 2}) {
		t.Errorf("batch 0: %+v, %v", b, err)
	}
	if _, ok, _ := s.fsm.Batch(1); ok {
		t.Error("a batch without tasks is still there")
	}
	if s.fsm.Catalog.Load().StoredTasks() != 4 {
		t.Error("stored tasks")
	}
}

func TestUpdatesCompare(t *testing.T) {
	s := newScript(t)
	put := func(old, next string) bool {
		u := &wire.Update{Changes: []wire.Change{{PutValue: &wire.Value{Name: "features", JSON: []byte(next)}}}}
		u.CompareValue = &wire.Value{Name: "features", JSON: []byte(old)}
		return !s.do(&wire.Command{Update: u}).Fenced
	}
	if !put("", "1") || put("", "2") || !put("1", "2") || put("1", "3") {
		t.Error("a read-modify-write went through against another state")
	}
	key := func(absent *string) bool {
		u := &wire.Update{Changes: []wire.Change{{PutKey: &wire.Key{UID: "k"}}}, AbsentKey: absent}
		return !s.do(&wire.Command{Update: u}).Fenced
	}
	if !key(ptr("k")) || key(ptr("k")) || !key(nil) {
		t.Error("creation of a key")
	}
	s.do(&wire.Command{Update: &wire.Update{Changes: []wire.Change{{DropKey: ptr("k")}, {PutValue: &wire.Value{Name: "features"}}}}})
	c := s.fsm.Catalog.Load()
	if _, ok := c.Key("k"); ok || len(c.Keys()) != 0 {
		t.Error("the key is still there")
	}
	if _, ok := c.Value("features"); ok {
		t.Error("the value is still there")
	}
}
