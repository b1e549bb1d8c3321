package node

import (
	"context"
	"fmt"
	"sync"
	"time"

	"shoal/coordinator/placement"
	"shoal/node/folder"
	"shoal/node/observe"
)

// Thresholds of a node's warnings about itself.
const (
	// diskLeft: a disk with less than this fraction free counts as filling.
	diskLeft = 0.10
	// diskLasts: a disk that will be full sooner than this, at its pace, counts as filling.
	diskLasts = 12 * time.Hour
	// certificateLeft: a certificate that expires sooner than this should be renewed.
	certificateLeft = 14 * 24 * time.Hour
	// fewest and share are the number and the fraction of failed requests, or slow
	// searches, that cause a warning.
	fewest, share = 5, 0.05
)

// standing returns the warnings about this node that only it can give.
func (n *Node) standing() (told []placement.Condition) {
	add := func(name, says string, args ...any) {
		told = append(told, placement.Condition{Name: name, Says: fmt.Sprintf(says, args...)})
	}
	name, now := n.cfg.Name, time.Now()
	if free, size := n.space(); size > 0 {
		left, known := n.filling.Left(free)
		if says := fillingDisk(free, size, left, known); says != "" {
			add(placement.DiskFilling, "the disk of node %s %s", name, says)
		}
	}
	if failed := n.metrics.Backup.Failed(); failed != "" {
		add(placement.BackupsFail, "snapshots of node %s fail: %s", name, failed)
	}
	if old := n.backupAge(now); old > 0 {
		add(placement.BackupOld, "the newest snapshot is %s old, one is due every %s", old.Round(time.Second), n.cfg.ScheduleSnapshot)
	}
	if ends := n.certificateEnds.Load(); ends != nil {
		switch left := ends.Sub(now); {
		case left <= 0:
			add(placement.CertificateExpires, "the certificate of node %s has expired", name)
		case left < certificateLeft:
			add(placement.CertificateExpires, "the certificate of node %s expires in %d days", name, left/(24*time.Hour))
		}
	}
	if front := n.served.Load(); front != nil {
		o := front.Outcomes(now)
		if o.Failed >= fewest && float64(o.Failed) > share*float64(o.Requests) {
			add(placement.ServerErrors, "%d of %d requests to node %s failed in the last two minutes", o.Failed, o.Requests, name)
		}
		if o.Slow >= fewest && float64(o.Slow) > share*float64(o.Searches) {
			add(placement.SearchesSlow, "%d of %d searches of node %s took more than a second in the last two minutes", o.Slow, o.Searches, name)
		}
	}
	return told
}

// nearlyFull reports whether so little of a disk is free that it counts as filling.
func nearlyFull(free, size uint64) bool { return float64(free) < diskLeft*float64(size) }

// fillingDisk says how full a disk is and how long it lasts, "" if it is not filling. known
// tells whether left is known.
func fillingDisk(free, size uint64, left time.Duration, known bool) string {
	if !nearlyFull(free, size) && (!known || left >= diskLasts) {
		return ""
	}
	says := fmt.Sprintf("has %.1f %% left (%d MiB)", 100*float64(free)/float64(size), free>>20)
	switch hours := int(left / time.Hour); {
	case !known:
		return says
	case hours < 1:
		return says + ", and is full in less than an hour at the pace of the last hour"
	case hours == 1:
		return says + ", and is full in 1 hour at the pace of the last hour"
	default:
		return says + fmt.Sprintf(", and is full in %d hours at the pace of the last hour", hours)
	}
}

// space returns how many bytes can still be written to the disk of the data folder, and how
// many bytes files can take there in all; 0 if unknown.
func (n *Node) space() (free, size uint64) {
	for _, path := range []string{n.dir(folder.DirShards), n.folder.Path} { // the first is made with the first shard
		if free, size, err := n.on.Files.Space(path); err == nil {
			return free, size
		}
	}
	return 0, 0
}

// watchDisk records the free space of the disk, until ctx ends.
func (n *Node) watchDisk(ctx context.Context) {
	tick := time.NewTicker(observe.FillingEvery)
	defer tick.Stop()
	for {
		if free, size := n.space(); size > 0 {
			n.filling.Note(time.Now(), free)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// leadership remembers since when this node leads. Safe for concurrent use.
type leadership struct {
	mu    sync.Mutex
	term  uint64
	since time.Time
}

func (l *leadership) began(term uint64, now time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.term != term {
		l.term, l.since = term, now
	}
	return l.since
}

// backupAge is the age of the newest snapshot if two were missed. It is 0 if none were, or
// if another node leads, which has to warn. A new leader waits for the next snapshots.
func (n *Node) backupAge(now time.Time) time.Duration {
	every := n.cfg.ScheduleSnapshot
	term, leads := n.group.Leading()
	if every <= 0 || !leads {
		return 0
	}
	newest := n.metrics.Backup.Newest()
	since := n.leads.began(term, now)
	if newest.After(since) {
		since = newest
	}
	if now.Sub(since) <= 2*every {
		return 0
	}
	if newest.IsZero() {
		return now.Sub(since)
	}
	return now.Sub(newest)
}
