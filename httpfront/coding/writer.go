package coding

import (
	"bytes"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

// Writer compresses what is written to it. Close ends what it compresses. It belongs to one
// goroutine until it is released.
type Writer struct {
	compressor
	coding Coding
}

// compressor is the interface that the writers of the libraries share.
type compressor interface {
	io.WriteCloser
	Reset(io.Writer)
}

// writers are the writers that are not in use, by coding.
var writers = [...]sync.Pool{
	Deflate: {New: func() any { return &Writer{mustLevel(zlib.NewWriterLevel(io.Discard, zlib.BestSpeed)), Deflate} }},
	Gzip:    {New: func() any { return &Writer{mustLevel(gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)), Gzip} }},
	Brotli:  {New: func() any { return &Writer{brotli.NewWriterV2(io.Discard, 3), Brotli} }},
}

// mustLevel returns w and panics on an error, which can only be an invalid level.
func mustLevel[W any](w W, err error) W {
	if err != nil {
		panic("httpfront: " + err.Error())
	}
	return w
}

// NewWriter returns a writer that compresses to a writer in a coding other than Identity.
// The caller must release it.
func NewWriter(to io.Writer, c Coding) *Writer {
	w := writers[c].Get().(*Writer)
	w.Reset(to)
	return w
}

// Release gives the memory of the writer to another one. w must not be used afterwards.
func (w *Writer) Release() { writers[w.coding].Put(w) }

// Compress appends the compressed body to dst. The coding must not be Identity.
func Compress(dst *bytes.Buffer, c Coding, body []byte) error {
	w := NewWriter(dst, c)
	defer w.Release()
	if _, err := w.Write(body); err != nil {
		return err
	}
	return w.Close()
}
