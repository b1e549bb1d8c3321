package ingest

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"shoal/api/payload"
)

// endless yields about n bytes of NDJSON without holding them in memory.
type endless struct {
	n, i int
	rest []byte
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		if e.n <= 0 {
			return 0, io.EOF
		}
		e.i++
		e.rest = fmt.Appendf(e.rest[:0], `{"id":%d,"title":"document number %d of many","body":{"text":"%s"}}`+"\n", e.i, e.i, strings.Repeat("lorem ipsum ", 60))
		e.n -= len(e.rest)
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// Ingest needs a constant amount of memory, whatever the size of the upload.
func TestIngestMemory(t *testing.T) {
	var before, after runtime.MemStats
	p := NewScan(io.Discard, t.TempDir(), AssumeKey(nil, nil))
	runtime.GC()
	runtime.ReadMemStats(&before)
	peak := uint64(0)
	docs := 0
	if _, err := payload.Read(payload.NDJSON, 0, &endless{n: 48 << 20}, func(d *payload.Document) error {
		if docs++; docs%4096 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&after)
			peak = max(peak, after.HeapAlloc-min(before.HeapAlloc, after.HeapAlloc))
		}
		return p.Add(d)
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Finish(); err != nil {
		t.Fatal(err)
	}
	if peak > 24<<20 {
		t.Errorf("%d MiB held while reading 48 MiB", peak>>20)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkIngest(b *testing.B) {
	const size = 16 << 20
	b.SetBytes(size)
	for b.Loop() {
		p := NewScan(io.Discard, b.TempDir(), AssumeKey(nil, nil))
		if _, err := payload.Read(payload.NDJSON, 0, &endless{n: size}, p.Add); err != nil {
			b.Fatal(err)
		}
		if _, err := p.Finish(); err != nil {
			b.Fatal(err)
		}
	}
}
