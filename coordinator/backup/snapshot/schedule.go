package snapshot

import (
	"context"
	"log/slog"
	"time"

	"shoal/coordinator"
	"shoal/coordinator/queue"
	"shoal/coordinator/task"
	"shoal/wire"
)

// Schedule enqueues a snapshot whenever this node leads and the last finished one is older than
// every, until ctx ends. It takes the time from the task in the log, so that a change of leader
// neither repeats nor skips a snapshot. prepare, if not nil, is called first; nothing is
// enqueued until it succeeds.
func Schedule(ctx context.Context, log coordinator.Log, writer *queue.Writer, every time.Duration, prepare func(context.Context) error, faults *slog.Logger) {
	tick := time.NewTicker(min(max(every/16, time.Second), time.Minute))
	defer tick.Stop()
	begun := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if _, leads := log.Leading(); !leads {
				continue
			}
			due, err := isDue(log, begun, now, every)
			if err == nil && due && prepare != nil {
				err = prepare(ctx)
			}
			if err == nil && due {
				_, err = writer.Snapshot(ctx)
			}
			if err != nil && ctx.Err() == nil {
				faults.Warn("a scheduled snapshot was not enqueued", "error", err)
			}
		}
	}
}

// isDue tells whether a snapshot is due: one interval after the newest snapshot task ended or,
// without such a task, after begun. It is not due while that task is unfinished.
func isDue(log coordinator.Log, begun, now time.Time, every time.Duration) (bool, error) {
	page, _, err := log.Tasks(&wire.TaskQuery{Kinds: []wire.Kind{task.SnapshotCreation}, Limit: 1})
	if err != nil {
		return false, err
	}
	if len(page) == 0 {
		return now.Sub(begun) >= every, nil
	}
	last := page[0]
	return last.FinishedAt != 0 && now.Sub(time.Unix(0, last.FinishedAt)) >= every, nil
}
