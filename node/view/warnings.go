package view

import (
	"fmt"
	"sync"
	"time"

	"shoal/coordinator/placement"
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

// warnings returns the warnings about this node that only it can give.
func (c *Cluster) warnings() (told []placement.Condition) {
	add := func(name, says string, args ...any) {
		told = append(told, placement.Condition{Name: name, Says: fmt.Sprintf(says, args...)})
	}
	name, now := c.Name, time.Now()
	if c.Displaced() {
		add(placement.Damage, "the data folder of node %s was removed or replaced while the node runs: start the node again if other nodes have all copies, else make a dump first", name)
	}
	if free, size := c.Disk.Space(); size > 0 {
		left, known := c.Disk.filling.Left(free)
		if says := fillingDisk(free, size, left, known); says != "" {
			add(placement.DiskFilling, "the disk of node %s %s", name, says)
		}
	}
	if failed := c.Backup.Failed(); failed != "" {
		add(placement.BackupsFail, "snapshots of node %s fail: %s", name, failed)
	}
	if old := c.backupAge(now); old > 0 {
		add(placement.BackupOld, "the newest snapshot is %s old, one is due every %s", old.Round(time.Second), c.SnapshotEvery)
	}
	if ends := c.CertificateEnds; ends != nil {
		switch left := ends.Sub(now); {
		case left <= 0:
			add(placement.CertificateExpires, "the certificate of node %s has expired", name)
		case left < certificateLeft:
			add(placement.CertificateExpires, "the certificate of node %s expires in %d days", name, left/(24*time.Hour))
		}
	}
	o := c.front.Metrics.Outcomes(now)
	if o.Failed >= fewest && float64(o.Failed) > share*float64(o.Requests) {
		add(placement.ServerErrors, "%d of %d requests to node %s failed in the last two minutes", o.Failed, o.Requests, name)
	}
	if o.Slow >= fewest && float64(o.Slow) > share*float64(o.Searches) {
		add(placement.SearchesSlow, "%d of %d searches of node %s took more than a second in the last two minutes", o.Slow, o.Searches, name)
	}
	return told
}

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
func (c *Cluster) backupAge(now time.Time) time.Duration {
	every := c.SnapshotEvery
	term, leads := c.Members.Group.Leading()
	if every <= 0 || !leads {
		return 0
	}
	newest := c.Backup.Newest()
	since := c.leads.began(term, now)
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
