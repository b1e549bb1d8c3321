package link

import (
	"errors"
	"io"

	"shoal/wire"
)

// chunkBytes is how much of a byte stream one message carries.
const chunkBytes = 256 << 10

// chunkWriter turns a byte stream into messages.
type chunkWriter struct {
	send func(any) error
	buf  []byte
}

func (w *chunkWriter) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		k := min(len(p), chunkBytes-len(w.buf))
		w.buf, p = append(w.buf, p[:k]...), p[k:]
		if len(w.buf) == chunkBytes {
			if err := w.flush(false); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

func (w *chunkWriter) flush(last bool) error {
	err := w.send(&wire.BlobChunk{Data: w.buf, Last: last})
	w.buf = w.buf[:0]
	return err
}

func (w *chunkWriter) close() error { return w.flush(true) }

// chunkReader reads such messages as a byte stream.
type chunkReader struct {
	recv func(any) error
	buf  []byte
	last bool
}

func (r *chunkReader) Read(p []byte) (int, error) {
	for len(r.buf) == 0 {
		if r.last {
			return 0, io.EOF
		}
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.buf)
	r.buf = r.buf[n:]
	return n, nil
}

func (r *chunkReader) next() error {
	var c wire.BlobChunk
	if err := r.recv(&c); err != nil {
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		return err
	}
	r.buf, r.last = c.Data, c.Last
	return nil
}
