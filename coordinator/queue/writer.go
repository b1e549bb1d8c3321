package queue

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/google/uuid"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/coordinator"
	"shoal/coordinator/ingest"
	"shoal/coordinator/task"
	"shoal/wire"
	"shoal/wire/span"
)

// Writer accepts writes: it stages payloads, appends tasks to the log and returns their
// summaries. Safe for concurrent use; it starts no goroutines.
type Writer struct {
	log   coordinator.Log
	blobs coordinator.Blobs
	dir   string
	retry func(ctx context.Context, attempt int) error
}

// NewWriter returns a Writer with its temporary files in dir (the system's folder when empty).
func NewWriter(log coordinator.Log, blobs coordinator.Blobs, dir string) *Writer {
	return &Writer{log: log, blobs: blobs, dir: dir, retry: coordinator.Backoff}
}

// Enqueue appends one task and returns it as accepted. While no leader is known it retries with
// one request id, so that the task is accepted at most once. restage, when not nil, stores the
// payload's blob again after the log refused its epoch. Errors: apierr.NoLeader, API errors of
// the log's limits, or those of ctx.
func (w *Writer) Enqueue(ctx context.Context, t *wire.Task, epoch uint64, restage func(context.Context) (*wire.BlobRef, uint64, error)) (*wire.Task, error) {
	if w.full(t) {
		return nil, apierr.TaskStoreFull()
	}
	ctx, piece := span.Start(ctx, "enqueue")
	defer piece.End()
	caller := ctx
	ctx, cancel := context.WithTimeout(ctx, coordinator.EnqueueFor)
	defer cancel()
	request := uuid.NewString()
	for attempt := 0; ; attempt++ {
		sent := *t
		kind, known := task.Of(t.Kind)
		aliases := known && kind.Aliases && w.log.Catalog().Spoken() >= wire.AliasesSince
		r, err := w.log.Propose(ctx, &wire.Command{Enqueue: &wire.Enqueue{RequestID: request, Task: sent, StageEpoch: epoch, Aliases: aliases}})
		switch {
		case err == nil && r.Restage:
			if restage == nil {
				return nil, errors.New("coordinator: a task without blob was refused for its stage epoch")
			}
			if t.Payload.Blob, epoch, err = restage(ctx); err != nil {
				return nil, err
			}
			continue
		case err == nil && r.Task != nil:
			return r.Task, nil
		case err == nil:
			return nil, errors.New("coordinator: the log accepted a task without returning it")
		case caller.Err() != nil:
			return nil, caller.Err()
		case ctx.Err() != nil:
			return nil, apierr.NoLeader()
		case errors.Is(err, wire.ErrTooLarge):
			return nil, apierr.TaskTooLarge()
		case !errors.Is(err, wire.ErrNoLeader) && !errors.Is(err, wire.ErrNotLeader):
			return nil, err
		}
		if w.retry(ctx, attempt) != nil {
			return nil, apierr.NoLeader()
		}
	}
}

// full tells whether the task store is full for a task. Tasks that free space are always
// accepted.
func (w *Writer) full(t *wire.Task) bool {
	c, ok := w.log.Catalog().(coordinator.StoreFigures)
	if !ok || c.StoredTasks() < coordinator.MaxStoredTasks {
		return false
	}
	return t.Kind != task.TaskDeletion && t.Kind != task.TaskCancelation || task.Empty(t)
}

// plain enqueues a task without payload.
func (w *Writer) plain(ctx context.Context, t *wire.Task) (*api.TaskSummary, error) {
	accepted, err := w.Enqueue(ctx, t, 0, nil)
	if err != nil {
		return nil, err
	}
	return Summary(accepted), nil
}

// carrying enqueues a task with the payload content, inline or as a blob.
func (w *Writer) carrying(ctx context.Context, t *wire.Task, content []byte) (*wire.Task, error) {
	t.Payload.RawSize = int64(len(content))
	if len(content) <= ingest.InlinePayload {
		t.Payload.Inline = content
		return w.Enqueue(ctx, t, 0, nil)
	}
	return w.staged(ctx, t, int64(len(content)), func() (io.Reader, error) { return bytes.NewReader(content), nil })
}

// staged stores a blob and enqueues the task that refers to it. Each call of open returns the
// content from its start.
func (w *Writer) staged(ctx context.Context, t *wire.Task, size int64, open func() (io.Reader, error)) (*wire.Task, error) {
	stage := func(ctx context.Context) (*wire.BlobRef, uint64, error) {
		content, err := open()
		if err != nil {
			return nil, 0, err
		}
		return w.blobs.Stage(ctx, content, size)
	}
	ref, epoch, err := stage(ctx)
	if err != nil {
		return nil, err
	}
	t.Payload.Blob = ref
	return w.Enqueue(ctx, t, epoch, stage)
}

// Summary returns the public answer to an accepted task.
func Summary(t *wire.Task) *api.TaskSummary {
	return &api.TaskSummary{
		TaskUID: t.UID, IndexUID: t.IndexUID, Type: string(t.Kind),
		EnqueuedAt: t.EnqueuedAt, CustomMetadata: t.Metadata,
	}
}
