package schedule

import (
	"slices"

	"shoal/coordinator/task"
	"shoal/wire"
)

// A deletion of tasks takes those that are finished when it runs. The tasks before
// it that could run have begun by then, and it waits for their batches: who deletes
// the task of an upload right after it deletes it always. What is still enqueued
// behind such a batch stays, as upstream.

// heldDeletion is a deletion with the batches that it waits for.
type heldDeletion struct {
	deletion *wire.Task
	runs     []*batchRun
}

// deletions starts, as one batch, the deletions that wait for nothing any more.
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
	// A cancelation may have taken some away.
	due = slices.DeleteFunc(due, func(t *wire.Task) bool { return !slices.Contains(l.backlog.global[task.ClassDeleteTasks], t) })
	if len(due) > 0 {
		l.launch(runOf(stopTogether(task.TaskDeletion), due...))
	}
}

// arrivals lets the deletions that are new wait for the batches that run now, and
// starts those that need not. What is older has begun by now.
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
			l.cfg.Log.Warn("what a deletion of tasks is about cannot be read; it is tried again when it runs", "task", t.UID, "error", err)
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

// deletionBefore tells whether a deletion waits that is older than a task.
func (l *leader) deletionBefore(t *wire.Task) bool {
	list := l.backlog.global[task.ClassDeleteTasks]
	return len(list) > 0 && list[0].UID < t.UID
}
