package schedule

import (
	"slices"

	"shoal/coordinator/schedule/fold"
	"shoal/coordinator/task"
	"shoal/wire"
)

// A deletion of tasks deletes those that are finished when it runs. All tasks before it that
// could run have begun by then, and it waits for their batches. So a client that deletes the
// task of an upload right after the upload always deletes it. Like in the reference, tasks that
// are still enqueued behind such a batch stay.

// heldDeletion is a deletion with the batches that it waits for.
type heldDeletion struct {
	deletion *wire.Task
	runs     []*batchRun
}

// deletions starts all deletions that wait for nothing any more, as one batch.
func (l *leader) deletions() {
	if l.running(task.TaskDeletion) {
		return
	}
	var due []*wire.Task
	l.held = slices.DeleteFunc(l.held, func(w heldDeletion) bool {
		if slices.ContainsFunc(w.runs, func(r *batchRun) bool { _, runs := l.runs[r]; return runs }) {
			return false
		}
		due = append(due, w.deletion)
		return true
	})
	// A cancelation may have removed some.
	due = slices.DeleteFunc(due, func(t *wire.Task) bool { return !slices.Contains(l.backlog.global[task.ClassDeleteTasks], t) })
	if len(due) > 0 {
		l.launch(runOf(fold.StopTogether(task.TaskDeletion), due...))
	}
}

// arrivals makes new deletions wait for the batches that run now, and starts those that need
// not wait. Older runnable tasks have begun by now.
func (l *leader) arrivals() {
	for _, t := range l.backlog.global[task.ClassDeleteTasks] {
		if slices.ContainsFunc(l.held, func(w heldDeletion) bool { return w.deletion == t }) {
			continue
		}
		w := heldDeletion{deletion: t}
		uids, err := l.capturedUIDs(l.ctx, t)
		if err != nil {
			if l.ctx.Err() != nil {
				return
			}
			l.cfg.Log.Warn("the list of a task deletion cannot be read; it is read again when the deletion runs", "task", t.UID, "error", err)
		}
		for r := range l.runs {
			if r.touches(uids) {
				w.runs = append(w.runs, r)
			}
		}
		l.held = append(l.held, w)
	}
	if !l.exclusive {
		l.deletions()
	}
}

// deletionBefore tells whether an older deletion waits.
func (l *leader) deletionBefore(t *wire.Task) bool {
	list := l.backlog.global[task.ClassDeleteTasks]
	return len(list) > 0 && list[0].UID < t.UID
}
