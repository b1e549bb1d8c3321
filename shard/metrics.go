package shard

import (
	"time"

	"shoal/shard/columnist"
	"shoal/shard/scrub"
)

// Figures describe a Host for monitoring. Counters start with the process.
type Figures struct {
	DiskBytes     uint64 // of all files
	WALBytes      uint64 // live part of the write-ahead log
	MemtableBytes uint64
	CacheBytes    int64 // blocks kept in memory
	CacheHits     int64
	CacheMisses   int64
	ReadAmp       int // runs that a point lookup may have to read
	L0Tables      int64
	DebtBytes     uint64 // bytes that compactions still have to rewrite

	Compactions    int64
	CompactionTime time.Duration
	Flushes        int64
	Ingests        uint64

	DamagedShards             int   // at present
	DamageFound, DamageMended int64 // mended counts copies of shards
	Scrub                     scrub.Figures

	Columns                      columnist.Figures
	ColumnReads, ColumnReadBytes int64 // reads of column files

	Derived uint64 // documents that builds turned into keys

	// Undecided counts deltas whose batch has no result that this node knows.
	Undecided      int
	UndecidedBytes int64

	Replicas int   // loaded copies of shards
	Views    int64 // held by requests at present
	Versions int64 // kept open for requests
}

// Figures returns current figures without blocking requests.
func (h *Host) Figures() Figures {
	m := h.store.DB.Metrics()
	f := Figures{
		DiskBytes: m.DiskSpaceUsage(), WALBytes: m.WAL.Size, MemtableBytes: m.MemTable.Size,
		CacheBytes: m.BlockCache.Size, CacheHits: m.BlockCache.Hits, CacheMisses: m.BlockCache.Misses,
		ReadAmp: m.ReadAmp(), L0Tables: m.Levels[0].TablesCount, DebtBytes: m.Compact.EstimatedDebt,
		Compactions: m.Compact.Count, CompactionTime: m.Compact.Duration, Flushes: m.Flush.Count, Ingests: m.Ingest.Count,
		Views: h.shared.Views.Load(), Versions: h.shared.Open.Load(),
	}
	f.Replicas, f.Derived = len(h.replicas.listed()), h.derived.Load()
	lost := h.faults.Figures()
	f.DamagedShards, f.DamageFound, f.DamageMended = int(lost.Shards), lost.Found, lost.Mended
	f.Scrub = h.repair.scrubber.Figures()
	f.Columns = h.columnist.Figures()
	f.ColumnReads, f.ColumnReadBytes = h.columnist.Cache().Reads()
	f.DiskBytes += uint64(f.Columns.FileBytes)
	for _, r := range h.worklist.list() {
		for _, p := range r.pendingIf(r.undecided) {
			f.Undecided, f.UndecidedBytes = f.Undecided+1, f.UndecidedBytes+p.head.Bytes
		}
	}
	return f
}
