package view

import (
	"context"
	"time"

	"shoal/node/machine"
	"shoal/node/observe"
)

// Disk is the disk of this node's data folder. Safe for concurrent use.
type Disk struct {
	files   *machine.Files
	paths   []string
	filling observe.Filling
}

// NewDisk returns the disk of the first of these folders that there is.
func NewDisk(files *machine.Files, paths ...string) *Disk { return &Disk{files: files, paths: paths} }

// Space returns how many bytes can still be written to the disk of the data folder, and how
// many bytes files can take there in all; 0 if unknown.
func (d *Disk) Space() (free, size uint64) {
	for _, path := range d.paths {
		if free, size, err := d.files.Space(path); err == nil {
			return free, size
		}
	}
	return 0, 0
}

// Watch records the free space of the disk, until ctx ends.
func (d *Disk) Watch(ctx context.Context) {
	tick := time.NewTicker(observe.FillingEvery)
	defer tick.Stop()
	for {
		if free, size := d.Space(); size > 0 {
			d.filling.Note(time.Now(), free)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// nearlyFull reports whether so little of a disk is free that it counts as filling.
func nearlyFull(free, size uint64) bool { return float64(free) < diskLeft*float64(size) }
