package queue

import (
	"bytes"
	"context"
	"io"

	"shoal/coordinator"
	"shoal/wire"
	"shoal/wire/staged"
)

// stagedDocuments reads the documents of a staged payload as NDJSON.
type stagedDocuments struct {
	source io.Closer // nil for an inline payload
	frames *staged.Reader
	line   []byte // the unread rest of the current document
}

// openDocuments opens a staged payload, inline or as a blob; nil when there is none.
func openDocuments(ctx context.Context, blobs coordinator.Blobs, p *wire.Payload) (io.ReadCloser, error) {
	var from io.Reader = bytes.NewReader(p.Inline)
	var source io.Closer
	switch {
	case p.Blob != nil:
		blob, err := blobs.Open(ctx, p.Blob)
		if err != nil {
			return nil, err
		}
		from, source = blob, blob
	case len(p.Inline) == 0:
		return nil, nil
	}
	frames, err := staged.NewReader(from)
	if err != nil {
		if source != nil {
			_ = source.Close() // the reading error matters more
		}
		return nil, err
	}
	return &stagedDocuments{source: source, frames: frames}, nil
}

// Read implements io.Reader.
func (d *stagedDocuments) Read(p []byte) (int, error) {
	for len(d.line) == 0 {
		frame, _, err := d.frames.Next()
		if err != nil {
			return 0, err
		}
		d.line = append(append(d.line[:0], frame.Document...), '\n')
	}
	n := copy(p, d.line)
	d.line = d.line[n:]
	return n, nil
}

// Close releases the blob.
func (d *stagedDocuments) Close() error {
	if d.source == nil {
		return nil
	}
	return d.source.Close()
}
