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
	"shoal/coordinator/task"
	"shoal/wire"
	"shoal/wire/hold"
	"shoal/wire/span"
)

// batchRun is one batch on its way: planned, built, committed. Its fields belong to
// its goroutine, but for those under mu.
type batchRun struct {
	*leader
	uid      string // of the index of a lane
	tasks    []*wire.Task
	form     formed
	strategy string
	work     func(*batchRun, context.Context) (*outcome, error)
	// aside replaces work in a run that belongs to no task.
	aside func(*batchRun, context.Context) error
	// giveUp, when set, decides whether a shard that nobody builds is waited for any
	// longer; its error ends the attempt.
	giveUp  func(*wire.Shard) error
	lanes   []string
	started int64 // UnixNano
	// exclusive runs have no other batch beside them.
	exclusive bool
	// callsOut: the index has embedders outside, which may take their time.
	callsOut bool

	ctx    context.Context
	cancel context.CancelCauseFunc

	mu hold.Lock
	// batch is the uid once the log knows the batch as started.
	batch *uint32
	// sealed: the commit is on its way, Start comes too late.
	sealed bool

	// steps tells what the run does and did; owned by its goroutine.
	steps trace

	// lacking is since when a node does not answer that a job needs.
	lacking time.Time

	// unfinished are tasks to put back into the backlog.
	unfinished []*wire.Task
}

// outcome is what a run wants committed. Tasks without a result here go back
// into the queue.
type outcome struct {
	results []wire.TaskResult
	changes []wire.Change
	guards  []wire.Guard
	holders []wire.ShardHolders
	// extra are tasks beside the run's own that get a result (canceled ones).
	extra []*wire.Task
	// figures are those of the deltas that were built.
	figures task.Figures
	// after runs once the outcome is committed.
	after func()
}

// touches reports whether the run works on one of the tasks, given ascending.
func (r *batchRun) touches(uids []uint32) bool {
	return slices.ContainsFunc(r.tasks, func(t *wire.Task) bool {
		_, found := slices.BinarySearch(uids, t.UID)
		return found
	})
}

// perform works until the batch is committed or the run is stopped. Transient
// failures are tried again: only errors that every replica would report alike
// become errors of tasks.
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
		return // the term is over: the next leader goes on
	}
	if stopped {
		r.release()
	}
}

// performAside repeats work that no task waits for until it is done.
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
		if why := r.lasting(err); why != nil {
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

// once does the work and commits it. It is the root of a trace: the requests that sent
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

// lasting is what a batch fails with that would end alike however often it was
// repeated, nil for any other error.
func (r *batchRun) lasting(err error) *wire.Failure {
	var client *apierr.Error
	var crash *wire.Crash
	switch {
	case errors.As(err, &client):
		// Nothing below may return one that way for long.
		return task.FailureOf(client)
	case errors.Is(err, wire.ErrCrashed):
		// Here or on another node, which logs its stack itself.
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

// guarded does the work. A panic fails the batch, as in the reference: one bad
// task must not stop a node again and again.
func (r *batchRun) guarded(ctx context.Context) (out *outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.cfg.Log.Error("a batch panicked", "index", r.uid, "panic", p, "stack", string(debug.Stack()))
			out, err = r.failAll(crashed(p)), nil
		}
	}()
	return r.work(r, ctx)
}

// crashed is what the tasks of a batch that panicked fail with.
func crashed(why any) *wire.Failure {
	return task.Failure(apierr.CodeInternal, fmt.Sprintf("An unexpected crash occurred when processing the task: %v", why))
}

// show writes Start once the batch has lasted a while. The returned function
// stops that and reports whether the batch is known as started.
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

// seal is the last moment at which a run can be stopped. It returns the uid of
// the started batch.
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

// record is the batch with its figures; results nil = as it starts.
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
	figures.Trace = r.steps.spans(r.cfg.Now(), r.started)
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
	// The entry may be in the log already when the run is stopped: it is waited
	// for under the context of the term.
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
			return r.committed(out, res) // an earlier, unanswered attempt had gone through
		}
		r.unseal()
		return coordinator.ErrFenced
	}
	return r.committed(out, res)
}

// finished reports whether the log has results for the run's tasks: a proposal
// whose answer was lost may have been accepted.
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

// release ends a started batch without effect: its tasks are enqueued again.
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

// failAll fails every task of the run alike.
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
