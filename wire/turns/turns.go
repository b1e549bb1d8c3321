package turns

import (
	"sync"
	"time"
)

// lookAgain is the interval at which the allowed number is polled while work waits.
const lookAgain = 100 * time.Millisecond

// turns are those of one kind of work. Safe for concurrent use. Create them with newTurns.
type turns struct {
	allowed func() int
	next    func() bool

	mu       sync.Mutex
	running  int
	waiting  bool // a caller got no turn since waiting work was last looked for
	granting bool
	again    bool // a turn ended while granting
	ended    bool
	idle     *sync.Cond // signals that granting became false
	timer    *time.Timer
}

// newTurns returns turns of which allowed() are given at a time, at least one. allowed must take no
// lock and may be called at any time. next begins one piece of waiting work, with a turn of its
// own, and tells whether there was one. It is called without any lock of turns, in the
// goroutine that calls Done, or in one that End waits for.
func newTurns(allowed func() int, next func() bool) *turns {
	t := &turns{allowed: allowed, next: next}
	t.idle = sync.NewCond(&t.mu)
	return t
}

// Take gives the caller a turn, which Done ends. If it returns false, the caller's work waits,
// and next will begin it once a turn is free.
func (t *turns) Take() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.ended:
		return false
	case t.running < t.allowed():
		t.running++
		return true
	}
	t.waiting = true
	t.watch(lookAgain)
	return false
}

// Done ends a turn and begins waiting work.
func (t *turns) Done() {
	t.mu.Lock()
	t.running--
	t.mu.Unlock()
	t.grant()
}

// Look reports that the allowed number may have risen. It begins no work in the caller's
// goroutine, because the caller may hold locks that next takes.
func (t *turns) Look() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting && t.running < t.allowed() {
		t.watch(0)
	}
}

// End waits until next is no longer called. Turns that were taken may end later.
func (t *turns) End() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	if t.timer != nil {
		t.timer.Stop()
	}
	for t.granting {
		t.idle.Wait()
	}
}

// watch schedules grant. The caller holds mu.
func (t *turns) watch(after time.Duration) {
	if t.timer == nil {
		t.timer = time.AfterFunc(after, t.grant)
	} else {
		t.timer.Reset(after)
	}
}

// grant gives the free turns to waiting work.
func (t *turns) grant() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.granting {
		t.again = true
		return
	}
	t.granting = true
	for !t.ended && t.running < t.allowed() {
		t.running++ // for the work that begins now
		t.waiting, t.again = false, false
		t.mu.Unlock()
		begun := t.next()
		t.mu.Lock()
		if begun {
			t.waiting = true // there may be more work
			continue
		}
		// Work that got no turn meanwhile, or came too late to be found, needs another look.
		if t.running--; !t.waiting && !t.again {
			break
		}
	}
	t.granting = false
	t.idle.Broadcast()
	if t.waiting && !t.ended {
		t.watch(lookAgain)
	}
}
