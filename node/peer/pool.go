package peer

import (
	"context"
	"net"
	"sync"
	"time"

	"shoal/node/machine"
	"shoal/wire"
)

const (
	// maxIdle bounds the unused connections to a node; each is kept for idleTime. The
	// other side keeps them longer (silence).
	maxIdle  = 64
	idleTime = time.Minute
	// leaveTime is how long this side waits before it tells the other one that the last
	// exchange of an unused connection is over. Most often the next exchange tells it sooner.
	leaveTime = 20 * time.Millisecond
	// maxDials is how many connections to a node are made at a time. Other callers wait for
	// these, or for a connection that becomes free.
	maxDials = 4
	// dialTime bounds one attempt to connect, the handshake included.
	dialTime = 5 * time.Second
	// After a failed attempt none is made for minPause, after each further one for 1.6
	// times as long, up to maxPause. Calls fail meanwhile.
	minPause, maxPause = 50 * time.Millisecond, time.Second
)

// connection is one of a pool to another node. At most one exchange uses it at a time.
type connection struct {
	framing
	at target
	// exchange is the number of the present exchange, or of the last one.
	exchange byte
	// held: the other side has not been told that the last exchange is over.
	held bool
	idle time.Time // since when nobody uses it
}

// lane holds the connections to one target. The pool's mu guards everything but the
// channels.
type lane struct {
	live map[*connection]struct{} // all connections, used or not
	idle []*connection            // unused ones, the one used last comes last
	// freed hands a connection to a caller that waits, slots has a place for each attempt to connect.
	freed chan *connection
	slots chan struct{}
	// pause is the pause after the last attempt, 0 when that succeeded; until is its end and
	// fault the error of that attempt.
	pause time.Duration
	until time.Time
	fault error
	// era counts calls of forgive. An attempt that began in an earlier era causes no pause.
	era int
}

// pool keeps connections to other nodes for the next exchange. Safe for concurrent use.
type pool struct {
	dial func(ctx context.Context, at target) (c net.Conn, older bool, err error)
	ctx  context.Context // of attempts to connect
	stop context.CancelFunc
	work sync.WaitGroup // timers at work

	mu     sync.Mutex // guards the rest
	closed bool
	lanes  map[target]*lane
	// leaving and tidying say that a timer runs: for leave, and for tidy.
	leaving, tidying bool
}

func newPool(dial func(context.Context, target) (net.Conn, bool, error)) *pool {
	p := &pool{dial: dial, lanes: map[target]*lane{}}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

// lane returns the lane of a target. The caller holds mu.
func (p *pool) lane(at target) *lane {
	l := p.lanes[at]
	if l == nil {
		l = &lane{live: map[*connection]struct{}{}, freed: make(chan *connection), slots: make(chan struct{}, maxDials)}
		p.lanes[at] = l
	}
	return l
}

// await waits for a connection of a lane that has no unused one: the next one that becomes
// free, or a new one. reused is false for a new one. The caller gives it back with put or drop.
func (p *pool) await(ctx context.Context, at target, l *lane) (c *connection, reused bool, err error) {
	select {
	case c := <-l.freed:
		return c, true, nil
	case l.slots <- struct{}{}:
		defer func() { <-l.slots }()
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	// Another caller may have got a connection, or failed, while this one waited.
	if _, c, err = p.unused(at); c != nil || err != nil {
		return c, true, err
	}
	c, err = p.connect(ctx, at, l)
	return c, false, err
}

// unused returns an unused connection to a target, or nil, and the target's lane. It skips
// connections whose other side has gone. During the pause after a failed attempt to connect
// it returns the error of that attempt.
func (p *pool) unused(at target) (*lane, *connection, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, wire.ErrClosed
	}
	l := p.lane(at)
	for n := len(l.idle) - 1; n >= 0; n-- {
		c := l.idle[n]
		l.idle = l.idle[:n]
		if machine.Quiet(c.below()) {
			return l, c, nil
		}
		delete(l.live, c)
		_ = c.Close() // the other side has closed it
	}
	if time.Now().Before(l.until) {
		return l, nil, l.fault
	}
	return l, nil, nil
}

// connect makes a connection.
func (p *pool) connect(ctx context.Context, at target, l *lane) (*connection, error) {
	p.mu.Lock()
	era := l.era
	p.mu.Unlock()
	below, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	raw, older, err := p.dial(below, at)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		if err == nil {
			_ = raw.Close() // never used
		}
		return nil, wire.ErrClosed
	case err != nil:
		if ctx.Err() == nil && l.era == era {
			l.pause = min(max(minPause, l.pause*8/5), maxPause)
			l.until, l.fault = time.Now().Add(l.pause), err
		}
		return nil, err
	}
	l.pause, l.until, l.fault = 0, time.Time{}, nil
	c := &connection{framing: framing{Conn: raw, older: older}, at: at}
	l.live[c] = struct{}{}
	return c, nil
}

// put gives back a connection whose exchange is over. held says that the other side has not
// been told so yet.
func (p *pool) put(c *connection, held bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lanes[c.at]
	if l == nil || p.closed || c.older {
		p.forget(c)
		return
	}
	if _, ok := l.live[c]; !ok { // given up meanwhile
		return
	}
	c.held, c.idle = held, time.Now()
	select {
	case l.freed <- c:
		return
	default:
	}
	if len(l.idle) >= maxIdle {
		p.forget(c)
		return
	}
	l.idle = append(l.idle, c)
	if held && !p.leaving {
		p.leaving = true
		p.after(leaveTime, p.leave)
	}
	if !p.tidying {
		p.tidying = true
		p.after(idleTime, p.tidy)
	}
}

// drop closes a connection.
func (p *pool) drop(c *connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget(c)
}

// forget is drop for callers that hold mu.
func (p *pool) forget(c *connection) {
	if l := p.lanes[c.at]; l != nil {
		delete(l.live, c)
	}
	_ = c.Close() // it fails only when it was closed before
}

// after calls f in a while, unless the pool is closed. The caller holds mu.
func (p *pool) after(wait time.Duration, f func()) {
	time.AfterFunc(wait, func() {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return
		}
		p.work.Add(1)
		p.mu.Unlock()
		defer p.work.Done()
		f()
	})
}

// leave tells the other sides of connections that have been unused for leaveTime that their
// last exchange is over.
func (p *pool) leave() {
	for _, c := range p.overdue(time.Now().Add(-leaveTime)) {
		if err := c.send(&frame{kind: frameLeave, exchange: c.exchange}); err != nil {
			p.drop(c)
			continue
		}
		p.put(c, false)
	}
}

// overdue removes and returns the held connections that have been unused since a moment.
func (p *pool) overdue(since time.Time) (out []*connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leaving = false
	for _, l := range p.lanes {
		kept := l.idle[:0]
		for _, c := range l.idle {
			if c.held && !c.idle.After(since) {
				out = append(out, c)
				continue
			}
			p.leaving = p.leaving || c.held
			kept = append(kept, c)
		}
		clear(l.idle[len(kept):])
		l.idle = kept
	}
	if p.leaving {
		p.after(leaveTime, p.leave)
	}
	return out
}

// tidy closes connections that nobody has used for long, and forgets targets that nobody
// asks any more.
func (p *pool) tidy() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	for at, l := range p.lanes {
		old := 0
		for ; old < len(l.idle) && now.Sub(l.idle[old].idle) >= idleTime; old++ {
			p.forget(l.idle[old])
		}
		l.idle = append(l.idle[:0], l.idle[old:]...)
		if len(l.live) == 0 && len(l.slots) == 0 && now.After(l.until) {
			delete(p.lanes, at)
		}
	}
	if p.tidying = len(p.lanes) > 0; p.tidying {
		p.after(idleTime, p.tidy)
	}
}

// renew closes all connections to a target; exchanges under way fail.
func (p *pool) renew(at target) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lanes[at]
	if l == nil {
		return
	}
	for c := range l.live {
		p.forget(c)
	}
	l.idle = nil
}

// forgive ends the pauses after failed attempts to connect to some targets. An attempt
// under way causes no pause either if it fails.
func (p *pool) forgive(of func(target) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for at, l := range p.lanes {
		if of(at) {
			l.era++
			l.pause, l.until, l.fault = 0, time.Time{}, nil
		}
	}
}

// close closes all connections. Exchanges under way fail.
func (p *pool) close() {
	p.stop()
	p.mu.Lock()
	p.closed = true
	for _, l := range p.lanes {
		for c := range l.live {
			p.forget(c)
		}
		l.idle = nil
	}
	p.mu.Unlock()
	p.work.Wait()
}
