package repository

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"github.com/PlakarKorp/go-cdc-chunkers"
	_ "github.com/PlakarKorp/go-cdc-chunkers/chunkers/fastcdc" // registers itself
	"github.com/klauspost/compress/zstd"

	"shoal/coordinator/backup/bucket"
)

// Sizes of chunks. With other values old snapshots can still be read, but everything is sent
// once more.
const (
	minChunk, meanChunk, maxChunk = 32 << 10, 128 << 10, 512 << 10
)

// cuts returns the options for cutting a stream.
func cuts() *chunkers.ChunkerOpts {
	return &chunkers.ChunkerOpts{MinSize: minChunk, NormalSize: meanChunk, MaxSize: maxChunk}
}

// Forms of a chunk.
const (
	formPlain byte = iota
	formZstd
)

// Several goroutines share the codec; each call is independent.
var codec = sync.OnceValues(func() (c struct {
	*zstd.Encoder
	*zstd.Decoder
}, err error) {
	if c.Encoder, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2), zstd.WithEncoderCRC(false)); err != nil {
		return c, err
	}
	c.Decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(maxChunk))
	return c, err
})

// pack returns a chunk in the form of an object.
func pack(chunk []byte) ([]byte, error) {
	c, err := codec()
	if err != nil {
		return nil, err
	}
	packed := c.EncodeAll(chunk, []byte{formZstd})
	if len(packed) <= len(chunk) {
		return packed, nil
	}
	return append([]byte{formPlain}, chunk...), nil
}

// fetch reads a chunk and checks it against its hash.
func fetch(ctx context.Context, b bucket.Bucket, h Hash) ([]byte, error) {
	content, err := b.Get(ctx, h.object(), maxChunk+1)
	switch {
	case errors.Is(err, bucket.ErrNotFound), errors.Is(err, bucket.ErrTooLarge):
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	case err != nil:
		return nil, err
	case len(content) == 0:
		return nil, damaged("%s is empty", h.object())
	}
	chunk := content[1:]
	switch content[0] {
	case formPlain:
	case formZstd:
		c, err := codec()
		if err != nil {
			return nil, err
		}
		if chunk, err = c.DecodeAll(chunk, nil); err != nil {
			return nil, damaged("%s: %w", h.object(), err)
		}
	default:
		return nil, damaged("%s has the unknown form %d", h.object(), content[0])
	}
	if Hash(sha256.Sum256(chunk)) != h {
		return nil, damaged("%s does not hold what its name says", h.object())
	}
	return chunk, nil
}
