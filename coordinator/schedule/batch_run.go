package schedule

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"shoal/api/apierr"
	"shoal/coordinator"
	"shoal/coordinator/schedule/fold"
	"shoal/coordinator/task"
	"shoal/wire"
	"shoal/wire/await"
	"shoal/wire/span"
)

// batchRun is one batch at work: planned, built, committed. Its fields belong to its goroutine,
// except those under mu.
type batchRun struct {
	*leader
	uid      string // of the index
	tasks    []*wire.Task
	form     fold.Batch
	strategy string
	work     func(*batchRun, context.Context) (*outcome, error)
	// aside replaces work in a run without tasks.
	aside func(*batchRun, context.Context) error
	// giveUp, when set, decides whether to keep waiting for a shard that no replica builds. Its
	// error ends the attempt.
	giveUp  func(*wire.Shard) error
	lanes   []string
	started int64 // UnixNano
	// exclusive runs allow no other batch at the same time.
	exclusive bool
	// callsOut: the index has external embedders, which may be slow. embeds: it has some
	// after the run.
	callsOut, embeds bool
	// embedders are the calls of all builds that ended.
	embedders wire.EmbedderFigures

	ctx    context.Context
	cancel context.CancelCauseFunc

	mu await.Lock
	// batch is the uid once the log knows the batch as started.
	batch *uint32
	// sealed: the commit is on its way, and it is too late for Start.
	sealed bool

	// steps records the steps of the run; owned by its goroutine.
	steps trace

	// silentSince is the time since when a node that a job needs does not answer.
	silentSince time.Time

	// unfinished are tasks to put back into the backlog.
	unfinished []*wire.Task
}

// outcome is what a run wants to commit. Tasks without a result here return to the queue.
type outcome struct {
	results []wire.TaskResult
	changes []wire.Change
	guards  []wire.Guard
	holders []wire.ShardHolders
	// extra are tasks outside of the run that get a result (canceled ones).
	extra []*wire.Task
	// figures describe the deltas that were built.
	figures task.Figures
	// after runs once the outcome is committed.
	after func()
}

// touches reports whether the run works on one of the tasks. uids are ascending.
func (r *batchRun) touches(uids []uint32) bool {
	return slices.ContainsFunc(r.tasks, func(t *wire.Task) bool {
		_, found := slices.BinarySearch(uids, t.UID)
		return found
	})
}

// perform works until the batch is committed or the run is stopped. It retries transient
// failures. Only errors that every replica would report alike become errors of tasks.
func (r *batchRun) perform() {
	if r.aside != nil {
		r.performAside()
		return
	}
	shown := r.show()
	err := r.attempt()
	stopped := shown()
	r.progress.forget(r)
	if err == nil {
		return
	}
	r.unfinished = r.tasks
	if !errors.Is(context.Cause(r.ctx), errCanceled) || r.leader.ctx.Err() != nil {
		return // the term is over: the next leader continues
	}
	if stopped {
		r.release()
	}
}

// performAside repeats work without tasks until it succeeds.
func (r *batchRun) performAside() {
	defer r.progress.forget(r)
	for n := 0; ; n++ {
		err := r.aside(r, r.ctx)
		if err == nil || r.ctx.Err() != nil {
			return
		}
		r.waitsFor(err.Error())
		if coordinator.Backoff(r.ctx, n) != nil {
			return
		}
	}
}

// attempt repeats the work until it is committed.
func (r *batchRun) attempt() error {
	for n := 0; ; n++ {
		r.enter(firstStep(r), 0, 1)
		err := r.once()
		if err == nil {
			return nil
		}
		if r.ctx.Err() != nil {
			return context.Cause(r.ctx)
		}
		if why := r.permanent(err); why != nil {
			if err := r.commit(r.failAll(why)); err == nil {
				return nil
			}
		}
		r.waitsFor(err.Error())
		if err := coordinator.Backoff(r.ctx, n); err != nil {
			return err
		}
	}
}

// once does the work and commits it. It is the root of a trace, because the requests that sent
// the tasks were answered long ago.
func (r *batchRun) once() error {
	ctx, piece := span.Root(r.ctx, "batch")
	defer piece.End()
	piece.Set("shoal.index", r.uid)
	piece.SetInt("shoal.tasks", len(r.tasks))
	piece.SetInt("shoal.first_task", int(r.tasks[0].UID))
	out, err := r.guarded(ctx)
	if err == nil {
		_, committing := span.Start(ctx, "commit")
		err = r.commit(out)
		committing.End()
	}
	piece.Fail(err)
	return err
}

// permanent returns the failure of a batch for an error that would come again at each retry, nil
// for any other error.
func (r *batchRun) permanent(err error) *wire.Failure {
	var client *apierr.Error
	var crash *wire.Crash
	switch {
	case errors.As(err, &client):
		// Below this function, no client error is transient.
		return task.FailureOf(client)
	case errors.Is(err, wire.ErrCrashed):
		// The panic was on this node, or on another one, which logs its stack itself.
		stack := ""
		if errors.As(err, &crash) {
			stack = crash.Stack
		}
		r.cfg.Log.Error("a batch panicked", "index", r.uid, "error", err, "stack", stack)
		return crashed(err)
	case errors.Is(err, wire.ErrTooLarge):
		return task.FailureOf(apierr.InternalInIndex(r.uid, "the settings, field names and tasks of the batch amount to more than an entry of the cluster's log may hold"))
	}
	return nil
}

// guarded does the work. Like in the reference, a panic fails the batch: one bad task must not
// stop a node again and again.
func (r *batchRun) guarded(ctx context.Context) (out *outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.cfg.Log.Error("a batch panicked", "index", r.uid, "panic", p, "stack", string(debug.Stack()))
			out, err = r.failAll(crashed(p)), nil
		}
	}()
	return r.work(r, ctx)
}

// crashed returns the failure for the tasks of a batch that panicked.
func crashed(why any) *wire.Failure {
	return task.Failure(apierr.CodeInternal, fmt.Sprintf("An unexpected crash occurred when processing the task: %v", why))
}

// show writes Start once the batch has run for StartAfter. The returned function stops that and
// reports whether the log knows the batch as started.
func (r *batchRun) show() (stop func() bool) {
	if r.batch != nil {
		return func() bool { return true }
	}
	done := make(chan struct{})
	t := time.AfterFunc(r.cfg.StartAfter, func() {
		defer close(done)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.sealed {
			return
		}
		res, err := r.log.Propose(r.ctx, &wire.Command{Start: &wire.Start{Term: r.term, Batch: r.record(nil)}})
		if err == nil && !res.Fenced && len(res.Batches) == 1 {
			uid := res.Batches[0]
			r.batch = &uid
		}
	})
	return func() bool {
		if !t.Stop() {
			<-done
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.batch != nil
	}
}

// seal passes the point after which a run cannot be stopped. It returns the uid of the started
// batch.
func (r *batchRun) seal() (*uint32, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.ctx.Err(); err != nil {
		return nil, context.Cause(r.ctx)
	}
	r.sealed = true
	return r.batch, nil
}

func (r *batchRun) unseal() {
	r.mu.Lock()
	r.sealed = false
	r.mu.Unlock()
}

// record returns the batch record with its statistics. Without an outcome it is the record of a
// starting batch.
func (r *batchRun) record(out *outcome) wire.Batch {
	b := wire.Batch{UID: wire.NoBatch, Strategy: r.strategy, StartedAt: r.started}
	var stats task.Stats
	var details [][]byte
	if out == nil {
		for _, t := range r.tasks {
			b.Tasks = append(b.Tasks, t.UID)
			stats.Count(t, wire.Processing)
			details = append(details, t.Details)
		}
		b.Stats, b.Details = stats.JSON(nil), task.MergeDetails(details, false)
		return b
	}
	byUID := make(map[uint32]*wire.Task, len(r.tasks)+len(out.extra))
	for _, list := range [][]*wire.Task{r.tasks, out.extra} {
		for _, t := range list {
			byUID[t.UID] = t
		}
	}
	for i := range out.results {
		res := &out.results[i]
		t := byUID[res.UID]
		b.Tasks = append(b.Tasks, res.UID)
		stats.Count(t, res.Status)
		if res.Details != nil {
			details = append(details, res.Details)
		} else {
			details = append(details, t.Details)
		}
	}
	slices.Sort(b.Tasks)
	figures := out.figures
	figures.Trace, figures.Embedders = r.steps.spans(r.cfg.Now(), r.started), r.embedders
	b.Stats, b.Details = stats.JSON(&figures), task.MergeDetails(details, true)
	return b
}

// commit publishes an outcome.
func (r *batchRun) commit(out *outcome) error {
	batch, err := r.seal()
	if err != nil {
		return err
	}
	record := r.record(out)
	if batch != nil {
		record.UID = *batch
	}
	// The entry may already be in the log when the run is stopped, so wait for it under the
	// context of the term.
	res, err := r.log.Propose(r.leader.ctx, &wire.Command{Commit: []wire.Commit{{
		Term: r.term, Batch: record, Results: out.results, Changes: out.changes, Guards: out.guards, Holders: out.holders,
	}}})
	if err != nil {
		if r.finished() {
			return r.committed(out, res)
		}
		r.unseal()
		return err
	}
	if res.Fenced {
		if r.finished() {
			return r.committed(out, res) // an earlier attempt succeeded, but its answer was lost
		}
		r.unseal()
		return coordinator.ErrFenced
	}
	return r.committed(out, res)
}

// finished reports whether the log has results for the run's tasks. A proposal whose answer was
// lost may have been accepted.
func (r *batchRun) finished() bool {
	t, ok, err := r.log.Task(r.tasks[0].UID)
	return err == nil && (!ok || t.Status > wire.Processing)
}

func (r *batchRun) committed(out *outcome, res *wire.Result) error {
	if out.after != nil {
		out.after()
	}
	if r.cfg.Finished != nil {
		batch := wire.NoBatch
		if res != nil && len(res.Batches) > 0 {
			batch = res.Batches[0]
		} else if t, ok, err := r.log.Task(r.tasks[0].UID); err == nil && ok && t.Batch != nil {
			batch = *t.Batch
		}
		uids := make([]uint32, len(out.results))
		for i := range out.results {
			uids[i] = out.results[i].UID
		}
		r.cfg.Finished(batch, uids)
	}
	return nil
}

// release ends a started batch without effect; its tasks are enqueued again.
func (r *batchRun) release() {
	uid := r.batch
	if uid == nil {
		return
	}
	_, err := r.log.Propose(r.leader.ctx, &wire.Command{Commit: []wire.Commit{{
		Term: r.term, Batch: wire.Batch{UID: *uid, Strategy: r.strategy, StartedAt: r.started},
	}}})
	if err != nil && r.leader.ctx.Err() == nil {
		r.cfg.Log.Warn("a canceled batch was not released", "batch", *uid, "error", err)
	}
}

// succeed finishes a task with the given details (nil keeps them).
func succeed(t *wire.Task, details []byte) wire.TaskResult {
	return wire.TaskResult{UID: t.UID, Status: wire.Succeeded, Details: details}
}

// fail finishes a task with an error.
func fail(t *wire.Task, why *wire.Failure) wire.TaskResult {
	return wire.TaskResult{UID: t.UID, Status: wire.Failed, Details: task.FailedDetails(t), Error: why}
}

// failAll fails all tasks of the run with the same error.
func (r *batchRun) failAll(why *wire.Failure) *outcome {
	out := &outcome{}
	for _, t := range r.tasks {
		out.results = append(out.results, fail(t, why))
	}
	return out
}

func failWith(why *wire.Failure) func(*batchRun, context.Context) (*outcome, error) {
	return func(r *batchRun, _ context.Context) (*outcome, error) { return r.failAll(why), nil }
}
