package fsm

import (
	"testing"

	"shoal/consensus/entry"
	"shoal/consensus/state"
	"shoal/wire"
)

func restored(uid uint32, status wire.Status, batch *uint32) wire.Task {
	name := "movies"
	t := wire.Task{UID: uid, IndexUID: &name, Indexes: []string{name}, Kind: "indexCreation", Status: status, Batch: batch, EnqueuedAt: 10 + int64(uid)}
	if status > wire.Processing {
		t.StartedAt, t.FinishedAt = 20+int64(uid), 30+int64(uid)
	}
	return t
}

// A restoration keeps uids with their gaps, states and times, raises the
// counters, and groups batches with their tasks.
func TestRestoreKeepsRecords(t *testing.T) {
	s := newScript(t)
	seven := uint32(7)
	r := s.do(&wire.Command{Restore: &wire.Restore{RequestID: "a",
		Tasks:   []wire.Task{restored(3, wire.Succeeded, &seven), restored(5, wire.Enqueued, nil)},
		Batches: []wire.Batch{{UID: 7, Tasks: []uint32{3}, StartedAt: 23, FinishedAt: 33, Strategy: "why"}}}})
	if r.Fenced {
		t.Fatal("refused")
	}
	if again := s.do(&wire.Command{Restore: &wire.Restore{RequestID: "a", Tasks: []wire.Task{restored(3, wire.Failed, nil)}}}); again.Fenced {
		t.Error("a retry was refused")
	}
	if got := s.task(3); got.Status != wire.Succeeded || got.FinishedAt != 33 || *got.Batch != 7 {
		t.Errorf("task 3: %+v", got)
	}
	pending := s.fsm.Pending()
	if len(pending) != 1 || pending[0].UID != 5 {
		t.Errorf("pending %v", pending)
	}
	if next := s.do(addTask("movies")).Task.UID; next != 6 {
		t.Errorf("next uid %d", next)
	}
	if got := s.commit(finish(1, 6).Commit[0]); got.Batch != 8 {
		t.Errorf("next batch %+v", got)
	}
	for name, bad := range map[string]*wire.Restore{
		"a uid in use":         {Tasks: []wire.Task{restored(4, wire.Succeeded, nil)}},
		"descending":           {Tasks: []wire.Task{restored(12, wire.Succeeded, nil), restored(11, wire.Succeeded, nil)}},
		"processing":           {Tasks: []wire.Task{restored(12, wire.Processing, nil)}},
		"an unfinished batch":  {Batches: []wire.Batch{{UID: 20}}},
		"a reset with records": {Reset: true},
	} {
		if !s.do(&wire.Command{Restore: bad}).Fenced {
			t.Errorf("%s was accepted", name)
		}
	}
}

// The counters start anew once nothing is stored, also if deletion and restoration are
// applied in one run.
func TestRestoreResetsCounters(t *testing.T) {
	s := newScript(t)
	for range 3 {
		s.do(addTask("movies"))
	}
	s.commit(finish(1, 0, 1, 2).Commit[0])
	var run []state.Logged
	for _, cmd := range []*wire.Command{
		addTask("movies"),
		{Commit: []wire.Commit{finish(1, 3).Commit[0]}},
		{Delete: &wire.DeleteTasks{UIDs: []uint32{0, 1, 2, 3}}},
		{Restore: &wire.Restore{Reset: true, Tasks: []wire.Task{restored(0, wire.Succeeded, nil), restored(1, wire.Enqueued, nil), restored(3, wire.Enqueued, nil)}, NextTask: 10}},
		addTask("books"),
	} {
		if len(cmd.Commit) > 0 {
			cmd.Commit[0].Term = 1
		}
		body, err := entry.Encode(cmd, wire.Version)
		if err != nil {
			t.Fatal(err)
		}
		s.index++
		run = append(run, state.Logged{Index: s.index, Term: 1, Data: entry.Stamp(int64(s.index)*1000, 0, body, true)})
	}
	results, err := s.fsm.ApplyAll(run)
	if err != nil {
		t.Fatal(err)
	}
	if results[3].Fenced || results[4].Task.UID != 10 {
		t.Fatalf("%+v, then %+v", results[3], results[4].Task)
	}
	pending := s.fsm.Pending()
	if len(pending) != 3 || pending[0].UID != 1 || pending[1].UID != 3 || pending[2].UID != 10 {
		t.Errorf("pending %+v", pending)
	}
}
