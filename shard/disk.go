package shard

import (
	"context"
	"encoding/binary"
	"fmt"

	"shoal/wire"
)

// Disk is the space that indexes take on this node. Safe for concurrent use.
type Disk struct {
	*resources
	calls *calls
}

// Compact rewrites all data of an index on this node, all shards and generations,
// without overwritten and deleted entries (task indexCompaction). Searches and builds
// go on. The sizes are those of the files on disk.
func (d *Disk) Compact(ctx context.Context, req *wire.CompactRequest) (*wire.CompactReply, error) {
	if err := d.calls.enter(); err != nil {
		return nil, err
	}
	defer d.calls.leave()
	lo, hi := indexSpan(req.IndexID)
	db := d.store.DB
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
func (d *Disk) IndexBytes(id uint32) (uint64, error) {
	if err := d.calls.enter(); err != nil {
		return 0, err
	}
	defer d.calls.leave()
	bytes, err := d.store.DB.EstimateDiskUsage(indexSpan(id))
	if err != nil {
		return 0, fmt.Errorf("size of index %d: %w", id, err)
	}
	return bytes, nil
}

// DiskBytes returns the size of the whole store on disk.
func (d *Disk) DiskBytes() uint64 { return d.store.DB.Metrics().DiskSpaceUsage() }

// indexSpan returns the key bounds of an index. hi is exclusive.
func indexSpan(id uint32) (lo, hi []byte) {
	lo = binary.BigEndian.AppendUint32(nil, id)
	return lo, binary.BigEndian.AppendUint32(nil, id+1) // ids end long before 2^32
}
