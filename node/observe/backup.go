package observe

import (
	"strings"
	"sync"
	"time"

	"shoal/coordinator/backup/snapshot"
)

// Backup is what this node knows of the snapshots in the repository: those it took, and the
// newest one at its start. Safe for concurrent use.
type Backup struct {
	mu       sync.Mutex
	newest   time.Time
	bytes    int64
	took     time.Duration
	sent     int64
	failures uint64
	failed   string // why the last one failed, "" if it succeeded
}

// Taken records the outcome of a snapshot.
func (b *Backup) Taken(r snapshot.Report) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.Err != nil {
		b.failures++
		b.failed, _, _ = strings.Cut(r.Err.Error(), "\n")
		return
	}
	b.failed = ""
	b.newest, b.bytes, b.took = r.Taken, r.Bytes, r.Took
	b.sent += r.Sent
}

// Failed is why the last snapshot of this node failed, "" if it succeeded.
func (b *Backup) Failed() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failed
}

// Newest is the time of the newest snapshot that this node knows of, zero without one.
func (b *Backup) Newest() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.newest
}

func (b *Backup) collect(out sample) {
	b.mu.Lock()
	defer b.mu.Unlock()
	newest := 0.0
	if !b.newest.IsZero() {
		newest = float64(b.newest.UnixMilli()) / 1000
	}
	out.gauge("shoal_backup_newest_timestamp_seconds", "When the newest snapshot was taken that this node knows of; 0: none.", newest)
	out.gauge("shoal_backup_bytes", "Size of the last snapshot that this node took.", float64(b.bytes))
	out.gauge("shoal_backup_seconds", "How long it took.", b.took.Seconds())
	out.counter("shoal_backup_sent_bytes_total", "Bytes that snapshots of this node sent.", float64(b.sent))
	out.counter("shoal_backup_failures_total", "Snapshots of this node that failed.", float64(b.failures))
}

// Found records an existing snapshot.
func (b *Backup) Found(at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.newest.Before(at) {
		b.newest = at
	}
}
