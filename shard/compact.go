package shard

import (
	"context"
	"encoding/binary"
	"fmt"

	"shoal/wire"
)

// Compact rewrites all data of an index on this node, all shards and generations,
// without overwritten and deleted entries (task indexCompaction). Searches and builds
// go on. The sizes are those of the files on disk.
func (h *Host) Compact(ctx context.Context, req *wire.CompactRequest) (*wire.CompactReply, error) {
	if err := h.enter(); err != nil {
		return nil, err
	}
	defer h.leave()
	lo, hi := indexSpan(req.IndexID)
	db := h.store.DB
	if err := db.Flush(); err != nil {
		return nil, fmt.Errorf("compact index %d: flush memtables: %w", req.IndexID, err)
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

// IndexBytes estimates the bytes of an index on this node's disk, all shards and
// generations. Memtables do not count.
func (h *Host) IndexBytes(id uint32) (uint64, error) {
	if err := h.enter(); err != nil {
		return 0, err
	}
	defer h.leave()
	bytes, err := h.store.DB.EstimateDiskUsage(indexSpan(id))
	if err != nil {
		return 0, fmt.Errorf("size of index %d: %w", id, err)
	}
	return bytes, nil
}

// indexSpan returns the key bounds of an index. hi is exclusive.
func indexSpan(id uint32) (lo, hi []byte) {
	lo = binary.BigEndian.AppendUint32(nil, id)
	return lo, binary.BigEndian.AppendUint32(nil, id+1) // ids end long before 2^32
}
