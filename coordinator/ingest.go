package coordinator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"shoal/api"
	"shoal/api/payload"
	"shoal/coordinator/task"
	"shoal/wire"
)

// Upload is one POST or PUT of documents, its query already decoded.
type Upload struct {
	IndexUID  string
	Format    payload.Format
	Delimiter byte // CSV; 0 = comma
	// Update merges into stored documents (PUT), otherwise they are replaced.
	Update       bool
	PrimaryKey   *string
	SkipCreation bool
	// CreateIndex: the key may create the index.
	CreateIndex bool
	Metadata    *string
	// Body is the decoded content. Its own errors (size limit, truncation) are
	// returned as they are.
	Body io.Reader
}

// AddDocuments reads an upload in constant memory, stages it and enqueues the
// task. A malformed payload leaves nothing behind. Errors are *api.Error, those
// of the body and of ctx.
func (w *Writer) AddDocuments(ctx context.Context, up *Upload) (_ *api.TaskSummary, err error) {
	spool := &spool{dir: w.dir}
	defer func() { err = errors.Join(err, spool.Close()) }()
	m, size, err := w.stage(ctx, up, spool)
	if err != nil {
		return nil, err
	}
	shorten(m)
	body := &task.Addition{
		Update: up.Update, PrimaryKey: up.PrimaryKey, SkipCreation: up.SkipCreation,
		CreateIndex: up.CreateIndex, Manifest: *m, Lines: up.Format == payload.NDJSON,
	}
	t := task.NewAddition(up.IndexUID, body, wire.Payload{RawSize: size}, up.Metadata)
	var accepted *wire.Task
	if spool.file == nil {
		t.Payload.Inline = spool.mem.Bytes()
		accepted, err = w.Enqueue(ctx, t, 0, nil)
	} else {
		accepted, err = w.staged(ctx, t, spool.size, spool.open)
	}
	if err != nil {
		return nil, err
	}
	return Summary(accepted), nil
}

// stage writes the staged form of the upload to out and returns its manifest and
// the size of the content.
func (w *Writer) stage(ctx context.Context, up *Upload, out io.Writer) (_ *task.Manifest, size int64, err error) {
	var known *string
	if x, ok := w.log.Catalog().Index(up.IndexUID); ok {
		known = x.PrimaryKey
	}
	p := newPayloadScan(out, w.dir, assumeKey(known, up.PrimaryKey))
	defer func() { err = errors.Join(err, p.Close()) }()
	in := &counted{ctx: ctx, r: up.Body}
	if _, err := payload.Read(up.Format, up.Delimiter, in, p.add); err != nil {
		return nil, 0, err
	}
	m, err := p.finish()
	return m, in.n, err
}

// counted counts what is read and ends with its context.
type counted struct {
	ctx context.Context
	r   io.Reader
	n   int64
}

func (c *counted) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// spool holds a staged payload: in memory while it is small enough to travel in
// the log, in a temporary file beyond.
type spool struct {
	dir  string
	mem  bytes.Buffer
	file *os.File
	size int64
}

func (s *spool) Write(b []byte) (int, error) {
	if s.file == nil {
		if s.mem.Len()+len(b) <= inlinePayload {
			s.size += int64(len(b))
			return s.mem.Write(b)
		}
		f, err := os.CreateTemp(s.dir, "upload-*")
		if err != nil {
			return 0, fmt.Errorf("staging a payload: %w", err)
		}
		s.file = f
		if _, err := f.Write(s.mem.Bytes()); err != nil {
			return 0, fmt.Errorf("staging a payload: %w", err)
		}
		s.mem = bytes.Buffer{}
	}
	n, err := s.file.Write(b)
	s.size += int64(n)
	return n, err
}

// open returns the content of a spool that went to a file.
func (s *spool) open() (io.Reader, error) {
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return s.file, nil
}

// Close removes the temporary file.
func (s *spool) Close() error {
	if s.file == nil {
		return nil
	}
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}
