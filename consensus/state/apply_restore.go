package state

import (
	"math"

	"shoal/wire"
)

// restore appends records of an earlier cluster (see wire.Restore). A refusal
// leaves nothing behind.
func (x *txn) restore(r *wire.Restore, res *wire.Result) error {
	if r.RequestID != "" {
		if seen, ok := x.s.requests.byID[r.RequestID]; ok && seen.Task == nil {
			res.Fenced = seen.Fenced
			return nil
		}
	}
	if res.Fenced = !x.restorable(r); !res.Fenced {
		if err := x.restoreRecords(r); err != nil {
			return err
		}
	}
	if r.RequestID == "" {
		return nil
	}
	return x.s.requests.remember(&x.f, x.batch, &request{ID: r.RequestID, At: x.at, Fenced: res.Fenced})
}

// restorable checks an entry against the state before anything is written.
func (x *txn) restorable(r *wire.Restore) bool {
	tasks, batches := x.f.Tasks, x.f.Batches
	if r.Reset {
		if x.oldestTask() < x.f.Tasks || x.anyBatch() {
			return false
		}
		tasks, batches = 0, 0
	}
	for i := range r.Tasks {
		t := &r.Tasks[i]
		if uint64(t.UID) < tasks || t.Status > wire.Canceled || t.Status == wire.Processing {
			return false
		}
		tasks = uint64(t.UID) + 1
	}
	for i := range r.Batches {
		b := &r.Batches[i]
		if b.UID == wire.NoBatch || uint64(b.UID) < batches || b.FinishedAt == 0 {
			return false
		}
		batches = uint64(b.UID) + 1
	}
	return r.NextTask <= math.MaxUint32+1 && r.NextBatch <= math.MaxUint32
}

// anyBatch tells whether a batch is stored.
func (x *txn) anyBatch() bool {
	for _, e := range x.batches {
		if e.now != nil {
			return true
		}
	}
	it := x.s.Queue.Batches.All.Iterator()
	for it.HasNext() {
		uid := it.Next()
		if _, edited := x.batches[uid]; !edited && !x.goneBatches.Contains(uid) {
			return true
		}
	}
	return false
}

// restoreRecords writes what restorable accepted. Times later than the entry's own time are
// replaced by it: a task that finished in the log's future would never be shown.
func (x *txn) restoreRecords(r *wire.Restore) error {
	x.silent = true
	defer func() { x.silent = false }()
	if r.Reset {
		x.f.Tasks, x.f.Batches = 0, 0
	}
	for i := range r.Tasks {
		t := r.Tasks[i]
		t.EnqueuedAt, t.StartedAt, t.FinishedAt = min(t.EnqueuedAt, x.at), min(t.StartedAt, x.at), min(t.FinishedAt, x.at)
		if err := x.put(&t); err != nil {
			return err
		}
		x.f.Tasks = uint64(t.UID) + 1
	}
	for i := range r.Batches {
		b := r.Batches[i]
		tasks, err := x.tasksOf(b.Tasks)
		if err != nil {
			return err
		}
		x.f.Batches = uint64(b.UID) + 1
		if len(tasks) == 0 {
			continue // its tasks were deleted: so is the batch
		}
		b.StartedAt, b.FinishedAt = min(b.StartedAt, x.at), min(b.FinishedAt, x.at)
		if err := x.putBatch(b.UID, describeBatch(b, tasks)); err != nil {
			return err
		}
	}
	x.f.Tasks, x.f.Batches = max(x.f.Tasks, r.NextTask), max(x.f.Batches, r.NextBatch)
	return nil
}
