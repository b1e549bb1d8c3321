package state

import (
	"slices"

	"shoal/wire"
)

// start records that a batch is processing (architecture 5.3).
func (x *txn) start(s *wire.Start, res *wire.Result) error {
	tasks, ok, err := x.unfinishedTasks(s.Batch.Tasks)
	if err != nil {
		return err
	}
	if ok && s.Batch.UID != wire.NoBatch {
		_, ok, err = x.runningBatch(s.Batch.UID)
		if err != nil {
			return err
		}
	}
	if !ok || s.Term != x.term || len(tasks) == 0 {
		res.Fenced = true
		return nil
	}
	b := s.Batch
	b.UID = x.batchUID(b.UID)
	b.FinishedAt = 0
	b.StartedAt = x.startOf(&b, tasks)
	moved := make(departures)
	for i, t := range tasks {
		moved.note(t, b.UID)
		c := *t
		c.Status, c.Batch, c.StartedAt = wire.Processing, &b.UID, b.StartedAt
		if err := x.put(&c); err != nil {
			return err
		}
		tasks[i] = &c
	}
	if err := x.leaveBatches(moved); err != nil {
		return err
	}
	res.Batches = append(res.Batches, b.UID)
	return x.putBatch(b.UID, describeBatch(b, tasks))
}

// commit ends a batch: all of it or, when a guard, the term or the state of its
// tasks says otherwise, nothing.
func (x *txn) commit(c *wire.Commit, res *wire.Result) error {
	refused := func() {
		res.Fenced = true
		res.Batches = append(res.Batches, wire.NoBatch)
		res.Commits = append(res.Commits, wire.CommitResult{Fenced: true, Batch: wire.NoBatch})
	}
	if c.Term != x.term || !x.guarded(x.meta, c.Guards) {
		refused()
		return nil
	}
	started, ok, err := x.checkBatch(c)
	if err != nil {
		return err
	}
	scope := &scope{l: newLayer(x.meta), at: x.at, commit: true}
	for i := range c.Changes {
		if !ok {
			break
		}
		if ok, err = scope.change(&c.Changes[i]); err != nil {
			return err
		}
	}
	if !ok || !scope.holders(c.Holders) {
		refused()
		return nil
	}

	b := c.Batch
	members := memberUIDs(c, scope.cancels)
	if len(members) > 0 {
		b.UID = x.batchUID(b.UID)
	}
	// The names change before the results: the tasks of the batch itself are not
	// older than it.
	bound := uint64(AllTasks)
	if own := c.Batch.Tasks; len(own) > 0 {
		bound = uint64(slices.Min(own))
	}
	if started == nil {
		tasks, err := x.tasksOf(members)
		if err != nil {
			return err
		}
		b.StartedAt = x.startOf(&b, tasks)
	} else {
		b.StartedAt = started.Batch.StartedAt
	}
	b.FinishedAt = x.at
	if err := x.accept(scope, bound, &b, res); err != nil {
		return err
	}
	if err := x.finishTasks(c.Results, &b); err != nil {
		return err
	}
	if err := x.closeBatch(&b, started, members); err != nil {
		return err
	}
	stored := b.UID
	if len(members) == 0 {
		stored = wire.NoBatch
	}
	res.Batches = append(res.Batches, stored)
	res.Indexes = append(res.Indexes, scope.created...)
	res.Commits = append(res.Commits, wire.CommitResult{Batch: stored, Indexes: scope.created})
	return nil
}

// checkBatch tells whether the results of a commit fit the tasks as they are:
// every task unfinished, the batch (when it was started) still running.
func (x *txn) checkBatch(c *wire.Commit) (started *batchRecord, ok bool, err error) {
	for i := range c.Results {
		r := &c.Results[i]
		t, found, err := x.task(r.UID)
		if err != nil {
			return nil, false, err
		}
		if !found || !unfinished(t) || r.Status <= wire.Processing || r.Status > wire.Canceled {
			return nil, false, nil
		}
	}
	if c.Batch.UID == wire.NoBatch {
		return nil, true, nil
	}
	return x.runningBatch(c.Batch.UID)
}

func (x *txn) runningBatch(uid uint32) (*batchRecord, bool, error) {
	r, ok, err := x.batchOf(uid)
	if err != nil || !ok || !r.running() {
		return nil, false, err
	}
	return r, true, nil
}

// batchUID gives out the next batch uid, or keeps the one given.
func (x *txn) batchUID(uid uint32) uint32 {
	if uid == wire.NoBatch {
		uid = uint32(x.f.Batches)
		x.f.Batches++
	}
	return uid
}

// startOf is when a batch started: the time the scheduler names, within what the
// log allows (after the last enqueue of its tasks, not in the future).
func (x *txn) startOf(b *wire.Batch, tasks []*wire.Task) int64 {
	at := b.StartedAt
	if at == 0 || at > x.at {
		at = x.at
	}
	for _, t := range tasks {
		at = max(at, t.EnqueuedAt)
	}
	return at
}

// tasksOf loads tasks, leaving out those that do not exist.
func (x *txn) tasksOf(uids []uint32) ([]*wire.Task, error) {
	tasks := make([]*wire.Task, 0, len(uids))
	for _, uid := range uids {
		t, ok, err := x.task(uid)
		if err != nil {
			return nil, err
		}
		if ok {
			tasks = append(tasks, t)
		}
	}
	return tasks, nil
}

// unfinishedTasks loads tasks; ok is false when one is missing or finished.
func (x *txn) unfinishedTasks(uids []uint32) ([]*wire.Task, bool, error) {
	tasks, err := x.tasksOf(uids)
	if err != nil {
		return nil, false, err
	}
	ok := len(tasks) == len(uids) && !slices.ContainsFunc(tasks, func(t *wire.Task) bool { return !unfinished(t) })
	return tasks, ok, nil
}

// memberUIDs are the tasks that a commit files under its batch: those it gives a
// result and those it cancels.
func memberUIDs(c *wire.Commit, cancels []*wire.CancelTasks) []uint32 {
	var uids []uint32
	for i := range c.Results {
		uids = append(uids, c.Results[i].UID)
	}
	for _, cancel := range cancels {
		uids = append(uids, cancel.UIDs...)
	}
	slices.Sort(uids)
	return slices.Compact(uids)
}

// finishTasks writes the results of a batch. The payload of a finished task is
// not kept.
func (x *txn) finishTasks(results []wire.TaskResult, b *wire.Batch) error {
	moved := make(departures)
	for i := range results {
		r := &results[i]
		t, ok, err := x.task(r.UID)
		if err != nil {
			return err
		}
		if !ok || !unfinished(t) {
			continue // canceled by this same entry
		}
		moved.note(t, b.UID)
		done := *t
		done.Status, done.Error, done.CanceledBy = r.Status, r.Error, r.CanceledBy
		if r.Details != nil {
			done.Details = r.Details
		}
		if err := x.finishTask(&done, b); err != nil {
			return err
		}
	}
	return x.leaveBatches(moved)
}

func (x *txn) finishTask(t *wire.Task, b *wire.Batch) error {
	t.Payload.Inline = nil
	t.FinishedAt = x.at
	if b != nil {
		uid := b.UID
		t.Batch, t.StartedAt = &uid, b.StartedAt
	}
	x.lastAwaited = x.at
	return x.put(t)
}

// cancel finishes tasks as canceled; b is the batch of the canceling task, nil
// outside of one. Tasks that finished before are left alone (spec tasks-auth-ops-api 4.5).
func (x *txn) cancel(c *wire.CancelTasks, b *wire.Batch) error {
	moved, own := make(departures), wire.NoBatch
	if b != nil {
		own = b.UID
	}
	for _, uid := range c.UIDs {
		t, ok, err := x.task(uid)
		if err != nil {
			return err
		}
		if !ok || !unfinished(t) {
			continue
		}
		moved.note(t, own)
		done, by := *t, c.By
		done.Status, done.CanceledBy = wire.Canceled, &by
		if b == nil {
			done.Batch, done.StartedAt = nil, 0
		}
		if err := x.finishTask(&done, b); err != nil {
			return err
		}
	}
	return x.leaveBatches(moved)
}

// departures are tasks that leave the batch they are in, by batch.
type departures map[uint32][]*wire.Task

// note records that a task goes on in another batch (or in none).
func (d departures) note(t *wire.Task, next uint32) {
	if t.Batch != nil && *t.Batch != next {
		d[*t.Batch] = append(d[*t.Batch], t)
	}
}

// leaveBatches takes the departed tasks out of running batches.
func (x *txn) leaveBatches(d departures) error {
	for _, uid := range sortedKeys(d) {
		_, ok, err := x.runningBatch(uid)
		if err != nil {
			return err
		}
		if ok {
			if err := x.shrinkBatch(uid, d[uid]); err != nil {
				return err
			}
		}
	}
	return nil
}

// closeBatch stores the finished batch. Tasks of the started batch that got no
// result go back into the queue; a batch without any result leaves no record.
func (x *txn) closeBatch(b *wire.Batch, started *batchRecord, members []uint32) error {
	if started != nil {
		for _, uid := range started.Batch.Tasks {
			t, ok, err := x.task(uid)
			if err != nil {
				return err
			}
			if !ok || !unfinished(t) || t.Batch == nil || *t.Batch != b.UID {
				continue
			}
			back := *t
			back.Status, back.Batch, back.StartedAt = wire.Enqueued, nil, 0
			if err := x.put(&back); err != nil {
				return err
			}
		}
	}
	tasks, err := x.tasksOf(members)
	if err != nil {
		return err
	}
	tasks = slices.DeleteFunc(tasks, func(t *wire.Task) bool { return t.Batch == nil || *t.Batch != b.UID })
	if len(tasks) == 0 {
		if started == nil {
			return nil
		}
		return x.putBatch(started.Batch.UID, nil)
	}
	return x.putBatch(b.UID, describeBatch(*b, tasks))
}

// describeBatch makes the record of a batch out of its tasks.
func describeBatch(b wire.Batch, tasks []*wire.Task) *batchRecord {
	r := &batchRecord{Batch: b}
	r.Batch.Tasks = make([]uint32, len(tasks))
	r.Batch.EnqueuedAt = [2]int64{tasks[0].EnqueuedAt, tasks[0].EnqueuedAt}
	for i, t := range tasks {
		r.Batch.Tasks[i] = t.UID
		r.Batch.EnqueuedAt[0] = min(r.Batch.EnqueuedAt[0], t.EnqueuedAt)
		r.Batch.EnqueuedAt[1] = max(r.Batch.EnqueuedAt[1], t.EnqueuedAt)
		r.Indexes = AppendNames(r.Indexes, t)
	}
	slices.Sort(r.Batch.Tasks)
	r.Indexes = sortedSet(r.Indexes)
	r.classify(tasks)
	return r
}

// classify computes the values that the status and type filters use.
func (r *batchRecord) classify(tasks []*wire.Task) {
	r.Kinds, r.Statuses, r.Global = nil, 0, false
	for _, t := range tasks {
		r.Kinds = append(r.Kinds, t.Kind)
		r.Statuses |= 1 << t.Status
		r.Global = r.Global || t.IndexUID == nil
	}
	r.Kinds = sortedSet(r.Kinds)
}

// AppendNames appends the names of the indexes that a task is about.
func AppendNames(names []string, t *wire.Task) []string {
	if t.IndexUID != nil {
		names = append(names, *t.IndexUID)
	}
	return append(names, t.Indexes...)
}

func sortedSet[T ~string](list []T) []T {
	slices.Sort(list)
	return slices.Compact(list)
}

// shrinkBatch takes tasks out of a batch. A batch without tasks disappears; one
// with tasks left keeps the filter values that those still justify.
func (x *txn) shrinkBatch(uid uint32, gone []*wire.Task) error {
	old, ok, err := x.batchOf(uid)
	if err != nil || !ok {
		return err
	}
	leaving := make(map[uint32]bool, len(gone))
	var names []string
	for _, t := range gone {
		leaving[t.UID] = true
		names = AppendNames(names, t)
	}
	r := *old
	r.Batch.Tasks = nil
	for _, t := range old.Batch.Tasks {
		if !leaving[t] {
			r.Batch.Tasks = append(r.Batch.Tasks, t)
		}
	}
	if len(r.Batch.Tasks) == 0 {
		return x.putBatch(uid, nil)
	}
	rest, err := x.tasksOf(r.Batch.Tasks)
	if err != nil {
		return err
	}
	var kept []string
	for _, t := range rest {
		kept = AppendNames(kept, t)
	}
	names, kept = sortedSet(names), sortedSet(kept)
	r.Indexes = nil
	for _, name := range old.Indexes {
		_, lost := slices.BinarySearch(names, name)
		_, justified := slices.BinarySearch(kept, name)
		if !lost || justified {
			r.Indexes = append(r.Indexes, name)
		}
	}
	r.classify(rest)
	return x.putBatch(uid, &r)
}
