package schedule

import (
	"context"
	"time"

	"github.com/google/uuid"

	"shoal/api/jsonvalue"
	"shoal/coordinator"
	"shoal/coordinator/task"
	"shoal/wire"
)

// stageEpochEvery is the interval at which the epoch of staged blobs rises. Blobs that are two
// epochs old and have no task are refused from then on (architecture 5.10).
const stageEpochEvery = 10 * time.Minute

// autoDeleted is the number of finished tasks to delete at once when the store is full.
const autoDeleted = 100_000

// cap enqueues the deletion of the oldest finished tasks when the task store has reached
// TaskCap (spec tasks-auth-ops-api 4.2).
func (l *leader) cap() {
	c, ok := l.log.Catalog().(coordinator.StoreFigures)
	if !ok || c.StoredTasks() < l.cfg.TaskCap || l.autoClean || len(l.backlog.global[task.ClassDeleteTasks]) > 0 || l.running(task.TaskDeletion) {
		return
	}
	l.autoClean = true
	l.all.Add(1)
	go func() {
		defer l.all.Done()
		if err := l.deleteOldest(l.ctx); err != nil && l.ctx.Err() == nil {
			l.cfg.Log.Warn("the oldest tasks were not deleted", "error", err)
		}
		l.mu.Lock()
		l.cleaned = true
		l.mu.Unlock()
	}()
}

// deleteOldest enqueues one taskDeletion for the oldest finished tasks.
func (l *leader) deleteOldest(ctx context.Context) error {
	uids, err := l.log.TaskUIDs(&wire.TaskQuery{Statuses: []wire.Status{wire.Succeeded, wire.Failed, wire.Canceled}})
	if err != nil {
		return err
	}
	uids = uids[:min(len(uids), autoDeleted)]
	if len(uids) < 2 {
		l.cfg.Log.Warn("the task store is full of unfinished tasks")
		return nil
	}
	newest, ok, err := l.log.Task(uids[len(uids)-1])
	if err != nil || !ok {
		return err
	}
	content, err := task.EncodeUIDs(uids)
	if err != nil {
		return err
	}
	before := string(jsonvalue.AppendTime(nil, newest.EnqueuedAt+1))
	query := "?beforeEnqueuedAt=" + before[1:len(before)-1] + "&statuses=succeeded,failed,canceled"
	_, err = l.log.Propose(ctx, &wire.Command{Enqueue: &wire.Enqueue{
		RequestID: uuid.NewString(),
		Task:      *task.NewTaskDeletion(len(uids), query, wire.Payload{Inline: content, RawSize: int64(len(content))}),
	}})
	return err
}

// raiseEpochs raises the stage epoch for as long as the term lasts, so that blobs without a
// task can be collected.
func (l *leader) raiseEpochs() {
	t := time.NewTicker(stageEpochEvery)
	defer t.Stop()
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-t.C:
		}
		if coordinator.Importing(l.log.Catalog()) == coordinator.ImportQueue {
			continue // staged payloads may belong to tasks that are not restored yet
		}
		next := l.log.Catalog().StageEpoch() + 1
		raise := &wire.RaiseEpoch{StageEpoch: next}
		if next > 2 {
			raise.MinStageEpoch = next - 2
		}
		if _, err := l.log.Propose(l.ctx, &wire.Command{Epoch: raise}); err != nil && l.ctx.Err() == nil {
			l.cfg.Log.Warn("the stage epoch was not raised", "error", err)
		}
	}
}

// restoring tells whether an import is replacing the queue; then nothing may start. A replaced
// queue begins its uids anew, so the leader drops its knowledge of the old queue once all runs
// of it have ended. Call it after reading the pending tasks, so that restored tasks are never
// taken for ordinary ones.
func (l *leader) restoring() bool {
	now := coordinator.ReadImport(l.log.Catalog())
	if now != l.restored {
		if len(l.runs) > 0 {
			// The tasks of these runs go with the queue, and new tasks may soon have their
			// uids. A run that retried its commit would be refused forever.
			for r := range l.runs {
				r.cancel(errReplaced)
			}
			return true
		}
		l.backlog, l.restored = newBacklog(), now
	}
	return now.Phase == coordinator.ImportQueue
}
