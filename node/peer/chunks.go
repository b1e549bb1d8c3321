package peer

import (
	"errors"
	"io"

	"shoal/wire"
)

// chunkBytes is how much of a byte stream one message carries.
const chunkBytes = 256 << 10

// ChunkWriter sends a byte stream in messages of at most 256 KiB. Close sends the last
// one; a stream that ends without it is an error at its reader.
type ChunkWriter struct {
	Send func(any) error
	buf  []byte
}

// Write sends full messages and keeps the rest.
func (w *ChunkWriter) Write(p []byte) (int, error) {
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

func (w *ChunkWriter) flush(last bool) error {
	err := w.Send(&wire.BlobChunk{Data: w.buf, Last: last})
	w.buf = w.buf[:0]
	return err
}

// Close sends the rest, marked as the last message.
func (w *ChunkWriter) Close() error { return w.flush(true) }

// ChunkReader reads such messages as a byte stream.
type ChunkReader struct {
	Recv func(any) error
	// Seen, if not nil, is called with the bytes of each message, and with last for the
	// last one. The reader returns its error.
	Seen func(data []byte, last bool) error
	buf  []byte
	last bool
}

// Read returns what has arrived. It waits only if there is nothing.
func (r *ChunkReader) Read(p []byte) (int, error) {
	for len(r.buf) == 0 {
		if r.last {
			return 0, io.EOF
		}
		if err := r.Next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.buf)
	r.buf = r.buf[n:]
	return n, nil
}

// Next waits for one message. Read calls it by itself. An initial call tells whether the
// other side has anything to send.
func (r *ChunkReader) Next() error {
	var c wire.BlobChunk
	if err := r.Recv(&c); err != nil {
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
		return err
	}
	r.buf, r.last = c.Data, c.Last
	if r.Seen != nil {
		return r.Seen(c.Data, c.Last)
	}
	return nil
}
