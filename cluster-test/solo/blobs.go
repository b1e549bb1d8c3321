package solo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"

	"shoal/wire"
)

// Blobs keeps staged payloads in memory. Safe for concurrent use.
type Blobs struct {
	mu      sync.Mutex
	content map[string][]byte
}

// Stage keeps the content.
func (b *Blobs) Stage(_ context.Context, r io.Reader, _ int64) (*wire.BlobRef, uint64, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, 0, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	id := fmt.Sprint("blob-", len(b.content))
	b.content[id] = data
	return &wire.BlobRef{ID: id, Size: int64(len(data))}, 0, nil
}

// Open reads a blob.
func (b *Blobs) Open(_ context.Context, ref *wire.BlobRef) (io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	data, ok := b.content[ref.ID]
	if !ok {
		return nil, wire.ErrNoBlob
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}
