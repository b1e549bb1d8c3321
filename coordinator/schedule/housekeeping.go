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

// stageEpochEvery is how often the epoch of staged blobs rises; blobs two epochs
// old without a task are refused from then on (architecture 5.10).
const stageEpochEvery = 10 * time.Minute

// autoDeleted is how many finished tasks go at once when the store is full.
const autoDeleted = 100_000

// cap enqueues the deletion of the oldest finished tasks when the task store has
// reached its cap (spec tasks-auth-ops-api 4.2).
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

// deleteOldest enqueues one taskDeletion over the oldest finished tasks.
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

// raiseEpochs lets blobs that no task came to name be collected, as long as the
// term lasts.
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
			continue // payloads are staged for tasks that are not there yet
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

// restoring tells whether the queue is being replaced: nothing may start. A
// replaced queue begins its uids anew, so what the leader knew of the old one is
// dropped once no run is left of it. It must be asked after the pending tasks
// were read: those of a restoration then never pass for ordinary ones.
func (l *leader) restoring() bool {
	now := coordinator.ReadImport(l.log.Catalog())
	if now != l.restored {
		if len(l.runs) > 0 {
			// Their tasks go with the queue, and others may have their uids soon: a run
			// that tries its commit again would be refused for ever.
			for r := range l.runs {
				r.cancel(errReplaced)
			}
			return true
		}
		l.backlog, l.restored = newBacklog(), now
	}
	return now.Phase == coordinator.ImportQueue
}
