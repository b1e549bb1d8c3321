package shard

import (
	"context"
	"encoding/binary"
	"fmt"

	"shoal/wire"
)

// Compact rewrites everything that this node stores of an index, all shards and
// generations, without overwritten and deleted entries (task indexCompaction).
// Searches and builds go on meanwhile. The sizes are those of the files on disk.
func (h *Host) Compact(ctx context.Context, req *wire.CompactRequest) (*wire.CompactReply, error) {
	if err := h.enter(); err != nil {
		return nil, err
	}
	defer h.leave()
	lo := binary.BigEndian.AppendUint32(nil, req.IndexID)
	hi := binary.BigEndian.AppendUint32(nil, req.IndexID+1) // ids end long before 2^32
	db := h.store.DB
	if err := db.Flush(); err != nil {
		return nil, fmt.Errorf("compact index %d: write what is in memory: %w", req.IndexID, err)
	}
	before, err := db.EstimateDiskUsage(lo, hi)
	if err != nil {
		return nil, fmt.Errorf("compact index %d: %w", req.IndexID, err)
	}
	if err := db.Compact(ctx, lo, hi, false); err != nil {
		return nil, fmt.Errorf("compact index %d: %w", req.IndexID, err)
	}
	after, err := db.EstimateDiskUsage(lo, hi)
	if err != nil {
		return nil, fmt.Errorf("compact index %d: %w", req.IndexID, err)
	}
	return &wire.CompactReply{Before: before, After: after}, nil
}
