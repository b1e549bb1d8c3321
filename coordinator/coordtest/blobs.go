package coordtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"

	"shoal/wire"
)

// Blobs keeps staged payloads in memory. Its methods are safe for concurrent use. Do not read
// its fields while one runs.
type Blobs struct {
	mu      sync.Mutex
	Content map[string][]byte
	Staged  int
}

// NewBlobs returns an empty Blobs.
func NewBlobs() *Blobs { return &Blobs{Content: map[string][]byte{}} }

// Stage keeps the content of r, which must be size bytes.
func (b *Blobs) Stage(_ context.Context, r io.Reader, size int64) (*wire.BlobRef, uint64, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, 0, err
	}
	if int64(len(data)) != size {
		return nil, 0, fmt.Errorf("fake: %d bytes announced, %d staged", size, len(data))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Staged++
	id := fmt.Sprint("blob-", b.Staged)
	b.Content[id] = data
	return &wire.BlobRef{ID: id, Size: size}, 0, nil
}

// Open reads a payload, or fails with wire.ErrNoBlob.
func (b *Blobs) Open(_ context.Context, ref *wire.BlobRef) (io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	data, ok := b.Content[ref.ID]
	if !ok {
		return nil, wire.ErrNoBlob
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}
