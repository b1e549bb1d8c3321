package schedule

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"shoal/api/apierr"
	"shoal/coordinator/task"
	"shoal/wire"
)

// read returns the bytes of a payload.
func (s *Scheduler) read(ctx context.Context, p *wire.Payload) (_ []byte, err error) {
	if p.Blob == nil {
		return p.Inline, nil
	}
	r, err := s.blobs.Open(ctx, p.Blob)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return io.ReadAll(r)
}

// capturedUIDs returns the tasks that a cancelation or deletion names, ascending, without
// itself and newer ones.
func (s *Scheduler) capturedUIDs(ctx context.Context, t *wire.Task) ([]uint32, error) {
	data, err := s.read(ctx, &t.Payload)
	if err != nil {
		return nil, err
	}
	uids, err := task.DecodeUIDs(data)
	if err != nil {
		return nil, err
	}
	n, _ := slices.BinarySearch(uids, t.UID)
	return uids[:n], nil
}

// maxResults bounds the tasks that get a result of their own in one entry. A larger cancelation
// lists the rest, whose details stay unchanged.
const maxResults = 4096

// cancelTasks cancels the captured tasks that are still enqueued (spec tasks-auth-ops-api 4.5).
func cancelTasks(uids []uint32) func(*batchRun, context.Context) (*outcome, error) {
	return func(r *batchRun, _ context.Context) (*outcome, error) {
		t := r.tasks[0]
		out := &outcome{}
		var canceled []*wire.Task
		var rest []uint32
		for _, p := range r.log.Pending() {
			if _, found := slices.BinarySearch(uids, p.UID); !found {
				continue
			}
			canceled = append(canceled, p)
			if len(out.results) >= maxResults {
				rest = append(rest, p.UID)
				continue
			}
			by := t.UID
			out.extra = append(out.extra, p)
			out.results = append(out.results, wire.TaskResult{UID: p.UID, Status: wire.Canceled, CanceledBy: &by, Details: task.FailedDetails(p)})
		}
		if len(rest) > 0 {
			out.changes = append(out.changes, wire.Change{CancelTasks: &wire.CancelTasks{UIDs: rest, By: t.UID}})
		}
		out.results = append(out.results, succeed(t, task.WithCount(t.Details, "canceledTasks", uint64(len(canceled)))))
		out.after = func() { r.leader.drop(canceled) }
		return out, nil
	}
}

// deleteTasks deletes the finished ones among the captured tasks of all deletions in the batch.
// A task matched by two deletions counts for the first.
func (r *batchRun) deleteTasks(ctx context.Context) (*outcome, error) {
	out := &outcome{}
	gone := roaring.New()
	for _, t := range r.tasks {
		uids, err := r.capturedUIDs(ctx, t)
		if err != nil {
			return nil, err
		}
		finished, err := r.log.TaskUIDs(&wire.TaskQuery{UIDs: uids, Statuses: []wire.Status{wire.Succeeded, wire.Failed, wire.Canceled}})
		if err != nil {
			return nil, err
		}
		n := uint64(0)
		for _, uid := range finished {
			if gone.CheckedAdd(uid) {
				n++
			}
		}
		out.results = append(out.results, succeed(t, task.WithCount(t.Details, "deletedTasks", n)))
	}
	if gone.IsEmpty() {
		return out, nil
	}
	gone.RunOptimize()
	set, err := gone.ToBytes()
	if err != nil {
		return nil, err
	}
	out.changes = []wire.Change{{DeleteTasks: &wire.DeleteTasks{Bitmap: set}}}
	return out, nil
}

// errNoJob: this node has no worker for the kind.
func errNoJob(t *wire.Task) error {
	return fmt.Errorf("tasks of type `%s` cannot run on this node", t.Kind)
}

func (r *batchRun) dump(ctx context.Context) (*outcome, error) {
	t := r.tasks[0]
	if r.cfg.Jobs.Dump == nil {
		return r.failAll(task.Internal(errNoJob(t))), nil
	}
	uid, err := r.cfg.Jobs.Dump(ctx, t)
	if err != nil {
		return r.jobFailed(ctx, err)
	}
	return &outcome{results: []wire.TaskResult{succeed(t, task.WithText(t.Details, "dumpUid", uid))}}, nil
}

func (r *batchRun) snapshot(ctx context.Context) (*outcome, error) {
	if r.cfg.Jobs.Snapshot == nil {
		return r.failAll(task.Internal(errNoJob(r.tasks[0]))), nil
	}
	if err := r.cfg.Jobs.Snapshot(ctx); err != nil {
		return r.jobFailed(ctx, err)
	}
	return r.succeedAll(), nil
}

func (r *batchRun) export(ctx context.Context) (*outcome, error) {
	t := r.tasks[0]
	if r.cfg.Jobs.Export == nil {
		return r.failAll(task.Internal(errNoJob(t))), nil
	}
	indexes, err := r.cfg.Jobs.Export(ctx, t)
	if err != nil {
		return r.jobFailed(ctx, err)
	}
	return &outcome{results: []wire.TaskResult{succeed(t, task.WithJSON(t.Details, "indexes", indexes))}}, nil
}

func (r *batchRun) compact(ctx context.Context) (*outcome, error) {
	t := r.tasks[0]
	x, ok := r.log.Catalog().Index(*t.IndexUID)
	if !ok {
		return r.failAll(task.NotFound(*t.IndexUID)), nil
	}
	if r.cfg.Jobs.Compact == nil {
		return r.failAll(task.Internal(errNoJob(t))), nil
	}
	before, after, err := r.cfg.Jobs.Compact(ctx, x)
	if err != nil {
		return r.jobFailed(ctx, err)
	}
	return &outcome{results: []wire.TaskResult{succeed(t, task.CompactedDetails(before, after))}}, nil
}

// rules applies changes of the dynamic search rules.
func (r *batchRun) rules(context.Context) (*outcome, error) {
	if r.cfg.Jobs.Rules == nil {
		return r.failAll(task.Internal(errNoJob(r.tasks[0]))), nil
	}
	changes, details, err := r.cfg.Jobs.Rules(r.log.Catalog(), r.tasks)
	if err != nil {
		return nil, err
	}
	out := &outcome{changes: changes}
	for i, t := range r.tasks {
		var d []byte
		if i < len(details) {
			d = details[i]
		}
		out.results = append(out.results, succeed(t, d))
	}
	return out, nil
}

func (r *batchRun) succeedAll() *outcome {
	out := &outcome{}
	for _, t := range r.tasks {
		out.results = append(out.results, succeed(t, nil))
	}
	return out
}

// jobFailed handles the error of a job. The end of the context stops the run. While a node does
// not answer, the job is retried, because another node may take over. Any other error fails the
// tasks.
func (r *batchRun) jobFailed(ctx context.Context, err error) (*outcome, error) {
	if ctx.Err() != nil {
		return nil, err
	}
	if !unanswered(err) {
		return r.failAll(task.AsFailure(err)), nil
	}
	if r.silentSince.IsZero() {
		r.silentSince = time.Now()
	}
	if time.Since(r.silentSince) < r.cfg.JobPatience {
		return nil, fmt.Errorf("%w: %s", wire.ErrUnavailable, err.Error()) // a client error would be final
	}
	r.cfg.Log.Warn("a task failed because a node that it needs does not answer", "task", r.tasks[0].UID, "kind", r.tasks[0].Kind, "error", err)
	return r.failAll(task.FailureOf(apierr.ShardUnavailable())), nil
}

// unanswered tells whether an error comes from a node that is away, has just left, or is
// behind.
func unanswered(err error) bool {
	if client, ok := errors.AsType[*apierr.Error](err); ok {
		return client.Code == apierr.CodeShardUnavailable
	}
	return slices.ContainsFunc([]error{wire.ErrUnavailable, wire.ErrBehind, wire.ErrGone, wire.ErrNoShard, wire.ErrClosed}, func(condition error) bool {
		return errors.Is(err, condition)
	})
}
