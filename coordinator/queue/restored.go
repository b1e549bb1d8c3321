package queue

import (
	"bytes"
	"context"
	"errors"

	"shoal/api/payload"
	"shoal/coordinator/ingest"
	"shoal/coordinator/task"
	"shoal/wire"
)

// StageAddition stages an upload whose task is restored, not enqueued, and returns the body and
// the payload of that task. The restoration must be in ImportQueue, or the blob may be
// collected before the task names it.
func (w *Writer) StageAddition(ctx context.Context, up *payload.Upload) (_ *task.Addition, _ wire.Payload, err error) {
	spool := &ingest.Spool{Dir: w.dir}
	defer func() { err = errors.Join(err, spool.Close()) }()
	m, size, err := w.stage(ctx, up, spool)
	if err != nil {
		return nil, wire.Payload{}, err
	}
	ingest.Shorten(m)
	p := wire.Payload{RawSize: size}
	if spool.File == nil {
		p.Inline = spool.Mem.Bytes()
	} else {
		content, err := spool.Open()
		if err != nil {
			return nil, wire.Payload{}, err
		}
		if p.Blob, _, err = w.blobs.Stage(ctx, content, spool.Size); err != nil {
			return nil, wire.Payload{}, err
		}
	}
	return &task.Addition{
		Update: up.Update, PrimaryKey: up.PrimaryKey, SkipCreation: up.SkipCreation,
		CreateIndex: up.CreateIndex, Manifest: *m, Lines: true,
	}, p, nil
}

// StageContent makes the payload of a restored task from bytes.
func (w *Writer) StageContent(ctx context.Context, content []byte) (wire.Payload, error) {
	p := wire.Payload{RawSize: int64(len(content))}
	if len(content) <= ingest.InlinePayload {
		p.Inline = content
		return p, nil
	}
	ref, _, err := w.blobs.Stage(ctx, bytes.NewReader(content), p.RawSize)
	p.Blob = ref
	return p, err
}
