package queue

import (
	"context"
	"errors"
	"io"

	"shoal/api"
	"shoal/api/payload"
	"shoal/coordinator"
	"shoal/coordinator/ingest"
	"shoal/coordinator/task"
	"shoal/wire"
	"shoal/wire/span"
)

// AddDocuments reads an upload in constant memory, stages it and enqueues the task. A malformed
// payload leaves nothing behind. Errors are *apierr.Error, and those of the body and of ctx.
func (w *Writer) AddDocuments(ctx context.Context, up *payload.Upload) (_ *api.TaskSummary, err error) {
	spool := &ingest.Spool{Dir: w.dir}
	defer func() { err = errors.Join(err, spool.Close()) }()
	staging, piece := span.Start(ctx, "stage")
	m, size, err := w.stage(staging, up, spool)
	piece.Fail(err)
	piece.End()
	if err != nil {
		return nil, err
	}
	ingest.Shorten(m)
	body := &task.Addition{
		Update: up.Update, PrimaryKey: up.PrimaryKey, SkipCreation: up.SkipCreation,
		CreateIndex: up.CreateIndex, Manifest: *m, Lines: up.Format == payload.NDJSON,
	}
	t := task.NewAddition(up.IndexUID, body, wire.Payload{RawSize: size}, up.Metadata)
	var accepted *wire.Task
	if spool.File == nil {
		t.Payload.Inline = spool.Mem.Bytes()
		accepted, err = w.Enqueue(ctx, t, 0, nil)
	} else {
		accepted, err = w.staged(ctx, t, spool.Size, spool.Open)
	}
	if err != nil {
		return nil, err
	}
	return Summary(accepted), nil
}

// stage writes the staged form of the upload to out and returns its manifest and
// the size of the content.
func (w *Writer) stage(ctx context.Context, up *payload.Upload, out io.Writer) (_ *task.Manifest, size int64, err error) {
	var known *string
	if x, ok := coordinator.Named(w.log.Catalog(), up.IndexUID); ok {
		known = x.PrimaryKey
	}
	p := ingest.NewScan(out, w.dir, ingest.AssumeKey(known, up.PrimaryKey))
	defer func() { err = errors.Join(err, p.Close()) }()
	if up.Stored {
		p.IDOf = payload.StoredID
	}
	in := &ingest.CountedReader{Ctx: ctx, Source: up.Body}
	if _, err := payload.Read(up.Format, up.Delimiter, in, p.Add); err != nil {
		return nil, 0, err
	}
	m, err := p.Finish()
	return m, in.Bytes, err
}
