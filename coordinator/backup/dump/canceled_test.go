package dump

import (
	"context"
	"sync"
	"testing"

	"shoal/coordinator"
	"shoal/coordinator/schedule"
	"shoal/wire"
)

// interrupted is a log that calls a function once, when a dump is about to list tasks.
type interrupted struct {
	coordinator.Log
	once sync.Once
	do   func()
}

func (l *interrupted) Tasks(q *wire.TaskQuery) ([]*wire.Task, uint64, error) {
	l.once.Do(l.do)
	return l.Log.Tasks(q)
}

// A regression test: a cancelation does not wait for the dump. Its task was missing in the
// dump, while the canceled task was in it, as canceled by nobody.
func TestADumpIncludesACancelationThatRunsMeanwhile(t *testing.T) {
	a, b := newWorld(t, 1, false), newWorld(t, 1, true)
	log := &interrupted{Log: a.Log, do: func() {
		// The cancelation gets a uid after the dump's.
		must(a.Writer.CancelTasks(context.Background(), []uint32{1}, "?uids=1"))
		a.Until("the cancelation", func() bool {
			c, _, err := a.Log.Task(1)
			return err == nil && c.Status == wire.Canceled
		})
	}}
	a.dumper = NewDumper(DumperConfig{Log: log, Documents: a.Documents, Blobs: a.Blobs, Dir: a.dumps, Progress: a.Quiet})
	must(a.Writer.Dump(t.Context(), ""))
	a.Upload("books", `{"id":1}`)
	a.scheduled = true
	a.Schedule(schedule.Jobs{Dump: a.dumper.Dump})
	a.Idle()
	c := a.Tasks()[1]
	if c.Status != wire.Canceled || c.CanceledBy == nil {
		t.Fatalf("%+v", c)
	}
	dumped := a.Tasks()[0]
	if err := b.load(a.file(dumped)); err != nil {
		t.Fatal(err)
	}
	b.Idle()
	for _, got := range b.Tasks() {
		if got.UID == *c.CanceledBy {
			if got.Batch == nil || len(b.batchesOf(got)) != 1 {
				t.Errorf("the batch of the cancelation is missing: %+v", got)
			}
			return
		}
	}
	t.Errorf("task 1 is %+v, and there are %d tasks", b.Tasks()[1], len(b.Tasks()))
}

func (w *world) batchesOf(t *wire.Task) []*wire.Batch {
	w.T.Helper()
	found, _, err := w.Log.Batches(&wire.TaskQuery{BatchUIDs: []uint32{*t.Batch}, Limit: 2})
	if err != nil {
		w.T.Fatal(err)
	}
	return found
}
