package snapshot

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"shoal/cluster-test/solo"
	"shoal/coordinator"
	"shoal/coordinator/schedule"
	"shoal/coordinator/task"
	"shoal/wire"
)

// interrupted is a log that calls a function once, when a snapshot is about to list tasks.
type interrupted struct {
	coordinator.Log
	once sync.Once
	do   func()
}

func (l *interrupted) Tasks(q *wire.TaskQuery) ([]*wire.Task, uint64, error) {
	l.once.Do(l.do)
	return l.Log.Tasks(q)
}

// A regression test: a cancelation does not wait for the snapshot. Its task was missing in the
// snapshot, while the canceled task was in it, as canceled by nobody. An upload at that time
// must not be in the snapshot, because its payload was not copied.
func TestASnapshotIncludesACancelationThatRunsMeanwhile(t *testing.T) {
	a := solo.Open(t, 1)
	file := filepath.Join(t.TempDir(), "data.ms.snapshot")
	log := &interrupted{Log: a.Log, do: func() {
		a.Upload("movies", `{"id":2}`)
		must(a.Writer.CancelTasks(context.Background(), []uint32{1}, "?uids=1"))
		a.Until("the cancelation", func() bool {
			c, _, err := a.Log.Task(1)
			return err == nil && c.Status == wire.Canceled
		})
	}}
	taker := NewTaker(Config{Log: log, Blobs: a.Blobs, Shards: &copies{Node: a}, Self: solo.Self, Path: file, Progress: a.Quiet})
	must(a.Writer.Snapshot(t.Context()))
	a.Upload("books", `{"id":1}`)
	a.Schedule(schedule.Jobs{Snapshot: taker.Snapshot})
	a.Idle()
	b := solo.Open(t, 1)
	b.Schedule(schedule.Jobs{})
	if err := load(b, file, 0); err != nil {
		t.Fatal(err)
	}
	b.Idle()
	var kinds []wire.Kind
	for _, got := range b.Tasks() {
		kinds = append(kinds, got.Kind)
		if got.Kind == task.TaskCancelation {
			found, _, err := b.Log.Batches(&wire.TaskQuery{BatchUIDs: []uint32{*got.Batch}, Limit: 2})
			if err != nil || len(found) != 1 {
				t.Errorf("%d batches of the cancelation, %v", len(found), err)
			}
		}
	}
	if len(kinds) != 2 || kinds[0] != task.DocumentAddition || kinds[1] != task.TaskCancelation {
		t.Errorf("the snapshot brings %v", kinds)
	}
}
