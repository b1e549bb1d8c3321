package consensus

import (
	"testing"
	"time"

	"shoal/wire"
)

func TestATaskIsFinishedOnceItsResultIsKnown(t *testing.T) {
	g := openDisk(t, t.TempDir())
	defer g.Close()
	term := awaitLeading(t, g)
	ctx := within(t, 10*time.Second)
	propose := func(cmd *wire.Command) {
		t.Helper()
		if res, err := g.Propose(ctx, cmd); err != nil || res.Fenced {
			t.Fatalf("%+v %v", res, err)
		}
	}
	want := func(when string, over bool) {
		t.Helper()
		if got, err := g.TaskOver(0); err != nil || got != over {
			t.Errorf("%s: over is %t, %v", when, got, err)
		}
	}
	want("a task that this node has not heard of", false)
	propose(addTask("movies"))
	want("an enqueued task", false)
	propose(&wire.Command{Commit: []wire.Commit{{
		Term: term, Batch: wire.Batch{UID: wire.NoBatch, Tasks: []uint32{0}},
		Results: []wire.TaskResult{{UID: 0, Status: wire.Failed, Error: &wire.Failure{Message: "no"}}},
	}}})
	want("a failed task", true)
	propose(&wire.Command{Delete: &wire.DeleteTasks{UIDs: []uint32{0}}})
	if _, stored, err := g.Task(0); stored || err != nil {
		t.Fatalf("the task was not deleted: %v", err)
	}
	want("a deleted task", true)
}
