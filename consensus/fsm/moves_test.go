package fsm

import (
	"fmt"
	"slices"
	"testing"

	"shoal/wire"
)

func TestEveryChangeOfStatusIsToldOnce(t *testing.T) {
	s := newScript(t)
	var told []string
	watch := func(m *wire.Moves) {
		for _, x := range m.Tasks {
			told = append(told, fmt.Sprintf("task %d %d", x.UID, x.Status))
		}
		for _, b := range m.Batches {
			told = append(told, fmt.Sprintf("batch %d finished %t", b.UID, b.FinishedAt != 0))
		}
	}
	s.do(addTask("before"))
	s.fsm.OnMove(watch)
	again := addTask("a")
	again.Enqueue.RequestID = "one"
	s.do(again)
	s.do(again) // the same request makes no other task
	started := s.do(&wire.Command{Start: &wire.Start{Term: 1, Batch: wire.Batch{UID: wire.NoBatch, Tasks: []uint32{0, 1}}}})
	s.commit(wire.Commit{Batch: wire.Batch{UID: started.Batches[0], Tasks: []uint32{0, 1}}, Results: []wire.TaskResult{
		{UID: 0, Status: wire.Succeeded}, {UID: 1, Status: wire.Failed, Error: &wire.Failure{Code: "internal"}},
	}})
	s.do(addTask("at once"))
	s.commit(wire.Commit{Batch: wire.Batch{UID: wire.NoBatch, Tasks: []uint32{2}}, Results: []wire.TaskResult{{UID: 2, Status: wire.Succeeded}}})
	s.fsm.OnMove(nil)
	s.do(addTask("after"))
	want := []string{"task 1 0", "task 0 1", "task 1 1", "batch 0 finished false", "task 0 2", "task 1 3", "batch 0 finished true",
		"task 2 0", "task 2 1", "task 2 2", "batch 1 finished true"}
	if !slices.Equal(told, want) {
		t.Errorf("told  %q\nwants %q", told, want)
	}
}

func TestRestoredTasksAreNotTold(t *testing.T) {
	s := newScript(t)
	told := 0
	watch := func(m *wire.Moves) { told += len(m.Tasks) + len(m.Batches) }
	s.fsm.OnMove(watch)
	if r := s.do(&wire.Command{Restore: &wire.Restore{RequestID: "a", Tasks: []wire.Task{restored(3, wire.Failed, nil), restored(4, wire.Enqueued, nil)}, NextTask: 5}}); r.Fenced {
		t.Fatalf("%+v", r)
	}
	if told != 0 {
		t.Errorf("%d changes", told)
	}
	s.do(addTask("a"))
	if told != 1 {
		t.Errorf("%d changes after a restore", told)
	}
}
