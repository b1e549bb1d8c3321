package span

import (
	"context"
	"sync"
	"time"
)

// Timeline sums the durations of one request's spans by name. It is safe for concurrent use.
// Concurrent spans count in full each.
type Timeline struct {
	mu    sync.Mutex
	steps []Step
	// outer is the timeline of the work that this one is a part of; nil for none.
	outer *Timeline
}

// Within returns a context whose spans are recorded in the returned timeline and in the one of
// ctx, if it has one: a part of a request is measured and the whole request as before.
func Within(ctx context.Context) (context.Context, *Timeline) {
	t := &Timeline{outer: watchOf(ctx).timeline}
	return Watched(ctx, t), t
}

// Step is the sum over all spans of one name.
type Step struct {
	Name  string
	Took  time.Duration
	Times int
}

// Steps returns the sums in the order in which the first span of each name ended.
func (t *Timeline) Steps() []Step {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Step(nil), t.steps...)
}

// most bounds the names of a timeline. Further names are summed as "other".
const most = 64

// add adds a span, to the outer timelines too.
func (t *Timeline) add(name string, took time.Duration) {
	if t.outer != nil {
		t.outer.add(name, took)
	}
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

// Charge begins a small span; of is its subject ("" for none). The returned function ends it.
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
