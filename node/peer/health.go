package peer

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// A node that hangs keeps its connections: nothing but the lack of answers tells.
// Every wait for a node is therefore watched. One that lasts asks the node for a
// sign of life, which it gives however busy it is; without one the wait ends and
// the node is suspect until it answers again. Waits that end soon cost a timer.
const (
	// SignWithin is how long Link.Answers waits for a sign of life.
	SignWithin = time.Second
	// patience is how long a wait may last before a sign of life is asked for.
	patience = 250 * time.Millisecond
	// pulseTime is how long a node may take to give one.
	pulseTime = SignWithin
	// A wait is given up sooner, after these, when another node has the same data.
	sparePatience, sparePulse = 200 * time.Millisecond, 200 * time.Millisecond
	// A suspect is asked again after recheckMin, later every recheckMax. Nobody counts on a
	// suspect as a spare: until its return is noticed, a wait for the next node that hangs
	// lasts longer.
	recheckMin = 250 * time.Millisecond
	recheckMax = 750 * time.Millisecond
)

// methodPulse answers at once.
const methodPulse = "pulse"

// pulse is both sides of a sign of life.
type pulse struct{}

// health knows which nodes seem not to answer. Safe for concurrent use. Its
// goroutines end with close.
type health struct {
	ping func(ctx context.Context, at target) error
	// renew makes the next ping use a new connection.
	renew func(at target)
	// there tells whether the node may still be found at its address.
	there  func(at target) bool
	ctx    context.Context
	cancel context.CancelFunc
	mu     sync.Mutex
	closed bool
	work   sync.WaitGroup
	// suspects are the nodes that do not answer. checks are under way, one for each node,
	// shared by all its callers.
	suspects map[target]struct{}
	checks   map[target]*check
}

// check is one request for a sign of life. err is set before done is closed.
type check struct {
	done chan struct{}
	err  error
}

func newHealth(ping func(context.Context, target) error, renew func(target), there func(target) bool) *health {
	h := &health{ping: ping, renew: renew, there: there, suspects: map[target]struct{}{}, checks: map[target]*check{}}
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

// watched is a wait for a node that health watches.
type watched struct {
	h               *health
	at              target
	patience, pulse time.Duration
	gone            func()
	over            atomic.Bool
	set             sync.Mutex // held while timer is set: it may fire before
	timer           *time.Timer
}

// watch calls gone when the node gives no sign of life while the caller waits, and sooner
// when the node can be spared. It calls gone at most once, from another goroutine. stop ends
// the watch.
func (h *health) watch(at target, spare bool, gone func()) *watched {
	w := &watched{h: h, at: at, gone: gone, patience: patience, pulse: pulseTime}
	if spare {
		w.patience, w.pulse = sparePatience, sparePulse
	}
	w.set.Lock()
	defer w.set.Unlock()
	w.timer = time.AfterFunc(w.patience, func() { h.begin(w.look) })
	return w
}

// stop ends the watch; nil is one that never began.
func (w *watched) stop() {
	if w == nil {
		return
	}
	w.over.Store(true)
	w.timer.Stop()
}

func (w *watched) look() {
	if w.over.Load() {
		return
	}
	if err := w.h.pulse(w.at, w.pulse); err != nil && w.h.ctx.Err() == nil {
		if !w.over.Load() {
			w.h.suspect(w.at)
			w.gone()
		}
		return
	}
	w.set.Lock()
	defer w.set.Unlock()
	if w.timer.Reset(w.patience); w.over.Load() {
		w.timer.Stop()
	}
}

// errNoSign: a node did not give a sign of life in time.
var errNoSign = errors.New("no sign of life")

// pulse asks for a sign of life and waits for it until limit. Callers that ask at the same
// time share the answer.
func (h *health) pulse(at target, limit time.Duration) error {
	h.mu.Lock()
	c := h.checks[at]
	if c == nil {
		if h.closed {
			h.mu.Unlock()
			return context.Canceled
		}
		c = &check{done: make(chan struct{})}
		h.checks[at] = c
		h.work.Add(1)
		go h.ask(at, c)
	}
	h.mu.Unlock()
	over := time.NewTimer(limit)
	defer over.Stop()
	select {
	case <-c.done:
		return c.err
	case <-over.C:
		return errNoSign
	}
}

// ask sends the question of a check.
func (h *health) ask(at target, c *check) {
	defer h.work.Done()
	ctx, cancel := context.WithTimeout(h.ctx, pulseTime)
	defer cancel()
	c.err = h.ping(ctx, at)
	h.mu.Lock()
	delete(h.checks, at)
	h.mu.Unlock()
	close(c.done)
}

// suspect remembers that a node does not answer, and asks it until it does, each time over
// a new connection: after a loss TCP waits ever longer before it sends again, so that an old
// connection stays silent for seconds after the network is back. A node whose address another
// node has taken is not asked any more, because each question would be a failed handshake.
func (h *health) suspect(at target) {
	h.mu.Lock()
	_, already := h.suspects[at]
	h.suspects[at] = struct{}{}
	h.mu.Unlock()
	if !already {
		h.begin(func() { h.recheck(at) })
	}
}

// acquit ends a suspicion.
func (h *health) acquit(at target) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.suspects, at)
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
		if !h.there(at) {
			h.renew(at)
			h.acquit(at)
			return
		}
		err := h.pulse(at, pulseTime)
		if err == nil {
			h.acquit(at)
			return
		}
		if errors.Is(err, errNoSign) || errors.Is(err, context.DeadlineExceeded) {
			h.renew(at)
		}
	}
}
