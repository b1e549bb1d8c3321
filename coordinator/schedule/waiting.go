package schedule

import (
	"fmt"
	"slices"
	"time"
)

const (
	// waitShown is how long work must wait before the wait is reported. Shorter waits are
	// normal, because copies move and leaders change.
	waitShown = 2 * time.Second
	// waitRests is how long work must proceed before the next wait counts as a new one.
	waitRests = 5 * time.Second
)

// waiting is the reason of a run to wait. The zero value means that it does not wait.
type waiting struct {
	reason string
	since  int64 // UnixNano
	ended  int64 // the end of the latest wait
	told   bool  // logged
}

// over ends a wait.
func (w *waiting) over(now int64) {
	if w.reason != "" {
		w.reason, w.ended = "", now
	}
}

// begin starts a wait, or continues the one that has just ended.
func (w *waiting) begin(reason string, now int64) {
	if w.since == 0 || w.reason == "" && now-w.ended > int64(waitRests) {
		w.since = now
	}
	w.reason = reason
}

// shown tells whether the wait has lasted long enough to be reported.
func (w *waiting) shown(now int64) bool {
	return w.reason != "" && now-w.since >= int64(waitShown)
}

// waitsFor records why the run cannot continue. A permanent wait is shown in the run's progress
// and in the state of the cluster, and logged once.
func (r *batchRun) waitsFor(reason string) {
	b := &r.progress
	b.mu.Lock()
	defer b.mu.Unlock()
	now := r.cfg.Now()
	w := &b.entry(r).wait
	w.begin(reason, now)
	if w.shown(now) && !w.told {
		w.told = true
		r.cfg.Log.Warn("work waits", "work", r.subject(), "for", reason)
	}
}

// subject names the work of a run.
func (r *batchRun) subject() string {
	switch {
	case len(r.tasks) == 0:
		return "a change of the shards of index " + r.uid
	case r.uid == "":
		return fmt.Sprintf("task %d", r.tasks[0].UID)
	case len(r.tasks) == 1:
		return fmt.Sprintf("task %d of index %s", r.tasks[0].UID, r.uid)
	}
	return fmt.Sprintf("tasks %d to %d of index %s", r.tasks[0].UID, r.tasks[len(r.tasks)-1].UID, r.uid)
}

// Waits lists the permanent waits of this leader's work, longest first; none on a node that does
// not lead.
func (s *Scheduler) Waits() []string {
	type wait struct {
		text  string
		since int64
	}
	var found []wait
	now := s.cfg.Now()
	s.progress.mu.Lock()
	for r, e := range s.progress.entries {
		if e.wait.shown(now) {
			found = append(found, wait{fmt.Sprintf("%s waits for %s: %s", r.subject(), time.Duration(now-e.wait.since).Round(time.Second), e.wait.reason), e.wait.since})
		}
	}
	s.progress.mu.Unlock()
	slices.SortFunc(found, func(a, b wait) int { return int(min(1, max(-1, a.since-b.since))) })
	out := make([]string, 0, len(found))
	for _, w := range found {
		out = append(out, w.text)
	}
	return out
}
