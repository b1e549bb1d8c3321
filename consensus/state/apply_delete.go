package state

import (
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"shoal/consensus/entry"
	"shoal/wire"
)

// tasksOfDeletion is the set of tasks that a deletion names.
func tasksOfDeletion(d *wire.DeleteTasks) (*roaring.Bitmap, error) {
	set := roaring.New()
	if len(d.Bitmap) > 0 {
		if err := set.UnmarshalBinary(d.Bitmap); err != nil {
			return nil, fmt.Errorf("%w: set of tasks to delete: %w", entry.ErrUnknown, err)
		}
		if err := set.Validate(); err != nil {
			return nil, fmt.Errorf("%w: set of tasks to delete: %w", entry.ErrUnknown, err)
		}
	}
	set.AddMany(d.UIDs)
	return set, nil
}

// deleteTasks removes finished tasks and the batches left without tasks
// (spec tasks-auth-ops-api 4.6). Others are left alone. Upstream deletes 100,000 at a time when
// the log is full: tasks and whole batches go as sets, without being read.
func (x *txn) deleteTasks(d *wire.DeleteTasks, res *wire.Result) error {
	named, err := tasksOfDeletion(d)
	if err != nil {
		return err
	}
	stored := roaring.And(named, x.s.Queue.Tasks.All)
	stored.AndNot(x.goneTasks)
	for _, status := range []wire.Status{wire.Enqueued, wire.Processing} {
		stored.AndNot(x.s.Queue.Tasks.status[status])
	}
	leaving := make(map[uint32][]uint32) // tasks by batch
	var edited []uint32                  // tasks that this run has changed before
	for _, uid := range sortedKeys(x.tasks) {
		stored.Remove(uid)
		if t := x.tasks[uid].now; t != nil && !unfinished(t) && named.Contains(uid) {
			edited = append(edited, uid)
			if t.Batch != nil {
				leaving[*t.Batch] = append(leaving[*t.Batch], uid)
			}
		}
	}
	for it := stored.Iterator(); it.HasNext(); {
		uid := it.Next()
		if row, _ := x.s.Queue.taskRows.get(uid); row.batch != wire.NoBatch {
			leaving[row.batch] = append(leaving[row.batch], uid)
		}
	}
	x.forgetBatches(leaving)
	shrinking := make(departures)
	for _, batch := range sortedKeys(leaving) {
		if shrinking[batch], err = x.tasksOf(leaving[batch]); err != nil {
			return err
		}
	}
	x.goneTasks.Or(stored)
	for _, uid := range edited {
		if err := x.remove(uid); err != nil {
			return err
		}
	}
	for _, batch := range sortedKeys(shrinking) {
		if err := x.shrinkBatch(batch, shrinking[batch]); err != nil {
			return err
		}
	}
	res.Deleted += stored.GetCardinality() + uint64(len(edited))
	x.trimRenames()
	return nil
}

// forgetBatches removes the batches that lose all their tasks, and takes them out
// of the list.
func (x *txn) forgetBatches(leaving map[uint32][]uint32) {
	for _, batch := range sortedKeys(leaving) {
		_, edited := x.batches[batch]
		row, ok := x.s.Queue.batchRows.get(batch)
		if !edited && ok && int(row.tasks) == len(leaving[batch]) {
			x.goneBatches.Add(batch)
			delete(leaving, batch)
		}
	}
}

// trimRenames forgets renames that concern no task any more.
func (x *txn) trimRenames() {
	if x.f.FirstRename == x.f.NextRename {
		return
	}
	oldest := x.oldestTask()
	h := x.history()
	for x.f.FirstRename < x.f.NextRename && h.entries[x.f.FirstRename-h.first].Bound <= oldest {
		x.f.FirstRename++
	}
}

// oldestTask is the lowest uid that exists, or the next one to come.
func (x *txn) oldestTask() uint64 {
	it := x.s.Queue.Tasks.All.Iterator()
	for it.HasNext() {
		uid := it.Next()
		if e, edited := x.tasks[uid]; edited && e.now != nil || !edited && !x.goneTasks.Contains(uid) {
			return uint64(uid)
		}
	}
	for _, uid := range x.fresh {
		if x.tasks[uid].now != nil {
			return uint64(uid)
		}
	}
	return x.f.Tasks
}
