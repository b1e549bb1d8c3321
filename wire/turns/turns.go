package turns

import (
	"sync"
	"time"
)

// lookAgain is how soon the number of turns is looked at again while work waits for one.
const lookAgain = 100 * time.Millisecond

// Turns are those of one kind of work. Safe for concurrent use. Make them with New.
type Turns struct {
	allowed func() int
	next    func() bool

	mu       sync.Mutex
	running  int
	waiting  bool // somebody got no turn since what waits was last looked for
	granting bool
	again    bool // a turn has ended while granting
	ended    bool
	idle     *sync.Cond // granting became false
	timer    *time.Timer
}

// New returns turns of which allowed are given at a time, at least one; allowed takes no
// lock and may be called at any time. next begins one piece of the work that waits, with a
// turn of its own, and tells whether there was one. It is called without any lock of Turns,
// in the goroutine of whoever calls Done, or in one of its own that End waits for.
func New(allowed func() int, next func() bool) *Turns {
	t := &Turns{allowed: allowed, next: next}
	t.idle = sync.NewCond(&t.mu)
	return t
}

// Take gives the caller a turn, which Done ends. Without one the caller's work waits, and
// next is asked to begin it as soon as there is a turn.
func (t *Turns) Take() bool {
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

// Done ends a turn, and begins what waits.
func (t *Turns) Done() {
	t.mu.Lock()
	t.running--
	t.mu.Unlock()
	t.grant()
}

// Look tells that there may be more turns than before. It begins nothing in the caller's
// goroutine, who may hold locks that next takes.
func (t *Turns) Look() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting && t.running < t.allowed() {
		t.watch(0)
	}
}

// End waits until next is not called any more. Turns that were taken may be done later.
func (t *Turns) End() {
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

// watch has what waits looked at after a while. The caller holds mu.
func (t *Turns) watch(after time.Duration) {
	if t.timer == nil {
		t.timer = time.AfterFunc(after, t.grant)
	} else {
		t.timer.Reset(after)
	}
}

// grant gives what waits the turns that are left.
func (t *Turns) grant() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.granting {
		t.again = true
		return
	}
	t.granting = true
	for !t.ended && t.running < t.allowed() {
		t.running++ // of what begins now
		t.waiting, t.again = false, false
		t.mu.Unlock()
		begun := t.next()
		t.mu.Lock()
		if begun {
			t.waiting = true // there may be more
			continue
		}
		// Who got no turn meanwhile, or came too late to be found, is looked for again.
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
