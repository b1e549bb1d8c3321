package span

import (
	"context"
	"sync"
	"time"
)

// Timeline is the time that the pieces of one request took, summed by name. It is safe
// for concurrent use; pieces that ran at the same time count in full each.
type Timeline struct {
	mu    sync.Mutex
	steps []Step
}

// Step is what all pieces of one name took.
type Step struct {
	Name  string
	Took  time.Duration
	Times int
}

// Steps returns the pieces in the order in which the first of each name ended.
func (t *Timeline) Steps() []Step {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Step(nil), t.steps...)
}

// most bounds the names of a timeline: what comes after is summed as "other".
const most = 64

// add counts a piece.
func (t *Timeline) add(name string, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.steps) >= most {
		name = "other"
	}
	for i := range t.steps {
		if s := &t.steps[i]; s.Name == name {
			s.Took += took
			s.Times++
			return
		}
	}
	t.steps = append(t.steps, Step{name, took, 1})
}

// Charge begins a small piece of the work, of what ("" for nothing); what it returns ends
// it.
func Charge(ctx context.Context, name, of string) (end func()) {
	t := watchOf(ctx).timeline
	if t == nil {
		return unwatched
	}
	if of != "" {
		name += " " + of
	}
	begun := time.Now()
	return func() { t.add(name, time.Since(begun)) }
}

func unwatched() {}
