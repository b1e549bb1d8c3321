package sim

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

var errTimeout = os.ErrDeadlineExceeded

// pipe is one direction of a connection. What is written arrives later, in order, and not
// while the way is blocked.
type pipe struct {
	net      *network
	from, to string
	random   *rand.Rand

	mu    sync.Mutex
	parts []part
	last  time.Time // when the newest part arrives
	eof   bool      // after the parts
	gone  error     // what the reader gets; a writer gets EPIPE
	wake  chan struct{}
}

type part struct {
	at   time.Time
	data []byte
}

func newPipe(n *network, from, to string, random *rand.Rand) *pipe {
	return &pipe{net: n, from: from, to: to, random: random, wake: make(chan struct{})}
}

func (p *pipe) signal() { close(p.wake); p.wake = make(chan struct{}) }

// end loses everything that is on its way.
func (p *pipe) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone == nil {
		p.gone, p.parts = err, nil
		p.signal()
	}
}

func (p *pipe) write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.net.delay(p.random, p.from, p.to)
	if p.gone != nil || p.eof {
		return 0, syscall.EPIPE
	}
	at := time.Now().Add(d)
	if at.Before(p.last) {
		at = p.last
	}
	p.last = at
	p.parts = append(p.parts, part{at, append([]byte(nil), b...)})
	p.signal()
	return len(b), nil
}

func (p *pipe) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.eof = true
	p.signal()
}

// take reads what has arrived. With none it returns what to wait for.
func (p *pipe) take(b []byte) (n int, err error, next time.Time, wake, changed <-chan struct{}) {
	blocked, changed := p.net.blocked(p.from, p.to)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone != nil {
		return 0, p.gone, next, nil, nil
	}
	if !blocked && len(p.parts) > 0 {
		first := &p.parts[0]
		if next = first.at; !next.After(time.Now()) {
			n = copy(b, first.data)
			if first.data = first.data[n:]; len(first.data) == 0 {
				p.parts = p.parts[1:]
			}
			return n, nil, next, nil, nil
		}
	} else if !blocked && p.eof {
		return 0, io.EOF, next, nil, nil
	}
	return 0, nil, next, p.wake, changed
}

// conn is one end of a connection.
type conn struct {
	port          *port
	local, remote net.Addr
	in, out       *pipe

	mu       sync.Mutex
	ended    error
	deadline time.Time // of reads: writes do not wait
	wake     chan struct{}
}

// interrupt ends what this side does.
func (c *conn) interrupt(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended == nil {
		c.ended = err
		close(c.wake)
		c.wake = make(chan struct{})
	}
}

// Read implements net.Conn.
func (c *conn) Read(b []byte) (int, error) {
	for {
		c.mu.Lock()
		ended, deadline, mine := c.ended, c.deadline, c.wake
		c.mu.Unlock()
		if ended != nil {
			return 0, &net.OpError{Op: "read", Net: "tcp", Addr: c.remote, Err: ended}
		}
		if !deadline.IsZero() && !time.Now().Before(deadline) {
			return 0, &net.OpError{Op: "read", Net: "tcp", Addr: c.remote, Err: errTimeout}
		}
		if len(b) == 0 {
			return 0, nil
		}
		n, err, next, wake, changed := c.in.take(b)
		if errors.Is(err, io.EOF) {
			return 0, err
		}
		if n > 0 || err != nil {
			return n, err
		}
		if next.IsZero() || !deadline.IsZero() && deadline.Before(next) {
			next = deadline
		}
		until(next, mine, wake, changed)
	}
}

// Write implements net.Conn. It never waits: the window is as large as need be.
func (c *conn) Write(b []byte) (int, error) {
	c.mu.Lock()
	ended := c.ended
	c.mu.Unlock()
	if ended != nil {
		return 0, &net.OpError{Op: "write", Net: "tcp", Addr: c.remote, Err: ended}
	}
	return c.out.write(b)
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.interrupt(net.ErrClosed)
	c.mu.Lock()
	lost := errors.Is(c.ended, errDead)
	c.mu.Unlock()
	if lost {
		return nil // nothing leaves a process that has ended
	}
	c.out.finish()
	c.in.end(syscall.EPIPE) // nobody reads it any more
	c.port.mu.Lock()
	delete(c.port.conns, c)
	c.port.mu.Unlock()
	return nil
}

// LocalAddr implements net.Conn.
func (c *conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr implements net.Conn.
func (c *conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline implements net.Conn.
func (c *conn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

// SetReadDeadline implements net.Conn.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	close(c.wake)
	c.wake = make(chan struct{})
	return nil
}

// SetWriteDeadline implements net.Conn.
func (c *conn) SetWriteDeadline(time.Time) error { return nil }
