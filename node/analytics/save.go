package analytics

import (
	"context"
	"slices"
	"time"
)

// saveEvery is how often a node writes what it counted. A node that dies loses at most that much.
const saveEvery = time.Minute

// Run writes what was counted, once a minute.
func (r *Recorder) Run(ctx context.Context) {
	tick := time.NewTicker(saveEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.Save()
		}
	}
}

// Save writes what was counted since the last time, removes days that are too old, and the
// texts of queries if they are not wanted any more. A failure is logged once, until a file can
// be written again: searches go on without.
func (r *Recorder) Save() {
	r.files.Lock()
	defer r.files.Unlock()
	b := r.collect()
	err := r.write(b)
	r.settle(b, err == nil)
	if err != nil && !r.failed {
		r.cfg.Log.Warn("what is searched for is counted, but not written; make room on the disk, the node tries again each minute", "folder", r.cfg.Dir, "error", err)
	}
	r.failed = err != nil
}

// batch is what one Save writes.
type batch struct {
	days  map[int64]*Summary
	today *day
	// forget: files of other days must lose the texts of queries.
	forget bool
}

// collect copies what must be written.
func (r *Recorder) collect() batch {
	wanted := r.cfg.Settings().Queries
	r.mu.Lock()
	defer r.mu.Unlock()
	b := batch{days: map[int64]*Summary{}, today: r.turn(numberOf(r.cfg.Now())), forget: !wanted && r.texts}
	if b.forget {
		for _, d := range append(slices.Clone(r.ended), b.today) {
			d.forget()
		}
		r.recent = newRecent()
	}
	for _, d := range r.ended {
		b.days[d.number] = d.summary(listed)
	}
	if b.today.changed {
		b.days[b.today.number] = b.today.summary(counters)
		b.today.changed = false
	}
	return b
}

// settle notes what was written.
func (r *Recorder) settle(b batch, written bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !written {
		b.today.changed = true
		return
	}
	r.ended = slices.DeleteFunc(r.ended, func(d *day) bool { return b.days[d.number] != nil })
	if b.forget {
		r.texts = false
	}
}

// write writes the files of days, and clears the others.
func (r *Recorder) write(b batch) error {
	for number, s := range b.days {
		if err := r.writeDay(number, s); err != nil {
			return err
		}
	}
	names, err := r.cfg.Files.List(r.cfg.Dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		date, err := time.Parse(time.DateOnly, name)
		if err != nil {
			continue // not the file of a day
		}
		number := numberOf(date)
		switch {
		case number <= b.today.number-Days:
			err = r.cfg.Files.Remove(r.path(number))
		case b.forget && b.days[number] == nil:
			s := r.read(number)
			s.Queries, s.Empty, s.Clicked = Top{}, Top{}, Top{}
			err = r.writeDay(number, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *Recorder) writeDay(number int64, s *Summary) error {
	content, err := encode(s)
	if err != nil {
		return err
	}
	return r.cfg.Files.WriteFile(r.path(number), content)
}
