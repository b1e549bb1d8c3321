package peer

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A node that hangs keeps its connections: nothing but the lack of answers tells.
// Every wait for a node is therefore watched. One that lasts asks the node for a
// sign of life, which it gives however busy it is; without one the wait ends and
// the node is suspect until it answers again. Waits that end soon cost a timer.
const (
	// patience is how long a wait may last before a sign of life is asked for.
	patience = 250 * time.Millisecond
	// pulseTime is how long a node may take to give one.
	pulseTime = time.Second
	// A suspect is asked again after recheckMin, later every recheckMax.
	recheckMin = 250 * time.Millisecond
	recheckMax = 3 * time.Second
)

// methodPulse answers at once.
const methodPulse = "pulse"

// pulse is both sides of a sign of life.
type pulse struct{}

// health knows which nodes seem not to answer. Safe for concurrent use. Its
// goroutines end with close.
type health struct {
	ping   func(ctx context.Context, at target) error
	ctx    context.Context
	cancel context.CancelFunc
	mu     sync.Mutex
	closed bool
	work   sync.WaitGroup
	// suspects do not answer; checks under way are shared by all who wait.
	suspects map[target]struct{}
	checks   map[target]*check
}

// check is one request for a sign of life. err is set before done is closed.
type check struct {
	done chan struct{}
	err  error
}

func newHealth(ping func(context.Context, target) error) *health {
	h := &health{ping: ping, suspects: map[target]struct{}{}, checks: map[target]*check{}}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

func (h *health) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.cancel()
	h.work.Wait()
}

// begin runs f unless health is closed.
func (h *health) begin(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.work.Add(1)
	go func() {
		defer h.work.Done()
		f()
	}()
}

// suspected tells whether a node seems not to answer.
func (h *health) suspected(at target) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, ok := h.suspects[at]
	return ok
}

// watched is one wait for a node.
type watched struct {
	h     *health
	at    target
	gone  func()
	over  atomic.Bool
	timer *time.Timer
}

// watch calls gone, at most once and from another goroutine, when the node does
// not give a sign of life while the caller waits. stop ends the watch.
func (h *health) watch(at target, gone func()) *watched {
	w := &watched{h: h, at: at, gone: gone}
	w.timer = time.AfterFunc(patience, func() { h.begin(w.look) })
	return w
}

func (w *watched) stop() {
	w.over.Store(true)
	w.timer.Stop()
}

func (w *watched) look() {
	if w.over.Load() {
		return
	}
	if err := w.h.pulse(w.at); err != nil && w.h.ctx.Err() == nil {
		if !w.over.Load() {
			w.h.suspect(w.at)
			w.gone()
		}
		return
	}
	if w.timer.Reset(patience); w.over.Load() {
		w.timer.Stop()
	}
}

// pulse asks for a sign of life; who asks at the same time shares the answer.
func (h *health) pulse(at target) error {
	h.mu.Lock()
	c := h.checks[at]
	if c != nil {
		h.mu.Unlock()
		<-c.done
		return c.err
	}
	c = &check{done: make(chan struct{})}
	h.checks[at] = c
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(h.ctx, pulseTime)
	c.err = h.ping(ctx, at)
	cancel()
	h.mu.Lock()
	delete(h.checks, at)
	h.mu.Unlock()
	close(c.done)
	return c.err
}

// suspect remembers that a node does not answer, and asks it until it does.
func (h *health) suspect(at target) {
	h.mu.Lock()
	_, already := h.suspects[at]
	h.suspects[at] = struct{}{}
	h.mu.Unlock()
	if !already {
		h.begin(func() { h.recheck(at) })
	}
}

func (h *health) recheck(at target) {
	for wait := recheckMin; ; wait = min(wait*3/2, recheckMax) {
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-h.ctx.Done():
			t.Stop()
			return
		}
		if h.pulse(at) == nil {
			h.mu.Lock()
			delete(h.suspects, at)
			h.mu.Unlock()
			return
		}
	}
}
