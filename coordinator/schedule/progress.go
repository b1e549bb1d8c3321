package schedule

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"shoal/api/jsonvalue"
	"shoal/coordinator/task"
	"shoal/wire"
)

// step is the public name of a batch's current work (spec tasks-auth-ops-api 5.2).
type step string

const (
	stepIndexing step = "indexing"
	stepSettings step = "apply the settings"
	stepConfig   step = "retrieving config"
)

// firstStep returns the first step of a run.
func firstStep(r *batchRun) step {
	if s := executors[r.tasks[len(r.tasks)-1].Kind].step; s != "" {
		return s
	}
	return stepConfig
}

// trace records the steps of a run: the current one, which began at begun, and the past ones.
type trace struct {
	step  step
	begun int64
	past  []task.Span
}

// begin ends the current step and starts another one. A repeated step continues.
func (t *trace) begin(s step, now int64) {
	if t.step == s {
		return
	}
	t.end(now)
	t.step, t.begun = s, now
}

func (t *trace) end(now int64) {
	if t.step != "" {
		t.past = append(t.past, task.Span{Name: outerStep + " > " + string(t.step), Took: time.Duration(max(0, now-t.begun))})
	}
	t.step = ""
}

// outerStep encloses all other steps.
const outerStep = "processing tasks"

// spans returns the trace, ended now, of a batch that began at started.
func (t *trace) spans(now, started int64) []task.Span {
	all := *t
	all.past = slices.Clone(t.past)
	all.end(now)
	return append(all.past, task.Span{Name: outerStep, Took: time.Duration(max(1, now-started))})
}

// enter begins a step of the run; finished and total count its units.
func (r *batchRun) enter(s step, finished, total int) {
	r.steps.begin(s, r.cfg.Now())
	r.progress.set(r, s, finished, total)
}

// progressBook keeps the progress of running batches on the leader. Safe for concurrent use.
type progressBook struct {
	mu      sync.Mutex
	entries map[*batchRun]*progressEntry
}

type progressEntry struct {
	step            step
	finished, total int
	wait            waiting
	// embedding has the figures of builds that ask embedders, by shard.
	embedding map[uint16]wire.EmbedderFigures
}

func (b *progressBook) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.entries = nil
}

// entry returns the entry of a run, creating a missing one. The caller holds mu.
func (b *progressBook) entry(r *batchRun) *progressEntry {
	if b.entries == nil {
		b.entries = map[*batchRun]*progressEntry{}
	}
	e := b.entries[r]
	if e == nil {
		e = &progressEntry{}
		b.entries[r] = e
	}
	return e
}

func (b *progressBook) set(r *batchRun, s step, finished, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.entry(r)
	e.step, e.finished, e.total = s, finished, total
	e.wait.over(r.cfg.Now())
}

func (b *progressBook) advance(r *batchRun) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.entries[r]; e != nil && e.finished < e.total {
		e.finished++
		e.wait.over(r.cfg.Now())
	}
}

// goesOn ends the wait of a run in the middle of a step.
func (b *progressBook) goesOn(r *batchRun) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.entries[r]; e != nil {
		e.wait.over(r.cfg.Now())
	}
}

func (b *progressBook) forget(r *batchRun) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.entries[r]; e != nil && e.wait.told {
		r.cfg.Log.Info("waiting work has continued or ended", "work", r.subject())
	}
	delete(b.entries, r)
}

// Progress returns the public "progress" object of a running batch as JSON, nil when this node
// is not working on it.
func (s *Scheduler) Progress(batch uint32) []byte {
	s.progress.mu.Lock()
	defer s.progress.mu.Unlock()
	for r, e := range s.progress.entries {
		r.mu.Lock()
		mine := r.batch != nil && *r.batch == batch
		r.mu.Unlock()
		if mine {
			return e.json(s.cfg.Now())
		}
	}
	return nil
}

// json renders the steps, the outermost first, and the percentage as a 32-bit float. The reason
// for a wait is the innermost step.
func (e *progressEntry) json(now int64) []byte {
	inner := float64(e.finished) / float64(max(1, e.total))
	percent := float32(inner * 100 / 2) // the outer step "writing tasks to disk" is the second half
	out := fmt.Appendf(nil, `{"steps":[{"currentStep":"processing tasks","finished":0,"total":2},{"currentStep":%q,"finished":%d,"total":%d}`, e.step, e.finished, e.total)
	if f := e.embedded(); f.Wanted > 0 {
		out = fmt.Appendf(out, `,{"currentStep":"embedding documents","finished":%d,"total":%d}`, f.Documents, f.Wanted)
	}
	if e.wait.shown(now) {
		reason := jsonvalue.StringValue("waiting: " + e.wait.reason)
		out = append(append(out, `,{"currentStep":`...), reason.JSON()...)
		out = append(out, `,"finished":0,"total":1}`...)
	}
	return fmt.Appendf(out, `],"percentage":%s}`, float32JSON(percent))
}

func float32JSON(f float32) string {
	s := strconv.FormatFloat(float64(f), 'f', -1, 32)
	for i := range s {
		if s[i] == '.' {
			return s
		}
	}
	return s + ".0"
}
