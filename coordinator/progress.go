package coordinator

import (
	"fmt"
	"strconv"
	"sync"
)

// step is what a batch is doing, by its public name (spec tasks-auth-ops-api
// 5.2).
type step string

const stepIndexing step = "indexing"

// progressBook keeps the progress of running batches, on the leader only. Safe
// for concurrent use.
type progressBook struct {
	mu    sync.Mutex
	books map[*run]*progressEntry
}

type progressEntry struct {
	tasks           int
	step            step
	finished, total int
}

func (b *progressBook) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.books = nil
}

func (b *progressBook) set(r *run, s step, finished, total int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.books == nil {
		b.books = map[*run]*progressEntry{}
	}
	b.books[r] = &progressEntry{tasks: len(r.tasks), step: s, finished: finished, total: total}
}

func (b *progressBook) advance(r *run) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.books[r]; e != nil && e.finished < e.total {
		e.finished++
	}
}

func (b *progressBook) forget(r *run) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.books, r)
}

// Progress returns the public "progress" object of a running batch as JSON, nil
// when this node is not working on it.
func (s *Scheduler) Progress(batch uint32) []byte {
	s.progress.mu.Lock()
	defer s.progress.mu.Unlock()
	for r, e := range s.progress.books {
		r.mu.Lock()
		mine := r.batch != nil && *r.batch == batch
		r.mu.Unlock()
		if mine {
			return e.json()
		}
	}
	return nil
}

// json renders the steps, the outermost first, and the percentage as a 32-bit
// float.
func (e *progressEntry) json() []byte {
	inner := float64(e.finished) / float64(max(1, e.total))
	percent := float32(inner * 100 / 2) // the outer step "writing tasks to disk" is the second half
	return fmt.Appendf(nil, `{"steps":[{"currentStep":"processing tasks","finished":0,"total":2},{"currentStep":%q,"finished":%d,"total":%d}],"percentage":%s}`,
		e.step, e.finished, e.total, float32JSON(percent))
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
