package sim

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"time"
)

// network joins hosts, which are named by their IP addresses. Safe for concurrent use.
type network struct {
	seed uint64

	mu        sync.Mutex
	listeners map[string]*listener // by address
	gossips   map[string]*gossipPort
	cuts      map[[2]string]bool // from, to: nothing arrives
	still     map[string]bool    // hosts whose process stands still
	down      map[string]bool    // hosts without power
	slow      map[string]time.Duration
	loss      map[string]float64 // of packets to and from a host
	dialled   map[string]int     // connections, by from and to
	changed   chan struct{}      // closed and made anew with each change
}

func newNetwork(seed uint64) *network {
	return &network{
		seed: seed, listeners: map[string]*listener{}, gossips: map[string]*gossipPort{}, cuts: map[[2]string]bool{},
		still: map[string]bool{}, down: map[string]bool{}, slow: map[string]time.Duration{}, loss: map[string]float64{}, dialled: map[string]int{}, changed: make(chan struct{}),
	}
}

// change does something to the network and wakes everybody who waits for a change.
func (n *network) change(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f()
	close(n.changed)
	n.changed = make(chan struct{})
}

// blocked tells whether nothing arrives at present, and when to ask again.
func (n *network) blocked(from, to string) (bool, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.cuts[[2]string{from, to}] || n.still[from] || n.still[to], n.changed
}

// delay is how long something takes on its way.
func (n *network) delay(r *rand.Rand, from, to string) time.Duration {
	n.mu.Lock()
	d := n.slow[from] + n.slow[to]
	n.mu.Unlock()
	d += time.Duration(50+r.IntN(400)) * time.Microsecond
	if r.IntN(200) == 0 {
		d += time.Duration(r.IntN(30)) * time.Millisecond
	}
	return d
}

// source is the randomness of one connection: the same for the same seed.
func (n *network) source(from, to string) *rand.Rand {
	n.mu.Lock()
	defer n.mu.Unlock()
	key := from + ">" + to
	n.dialled[key]++
	h := fnv.New64a()
	fmt.Fprint(h, key, n.dialled[key])
	return rand.New(rand.NewPCG(n.seed, h.Sum64()))
}

// port is how one process on a host uses the network. It dies with its process.
type port struct {
	net  *network
	host string

	mu    sync.Mutex
	dead  bool
	conns map[*conn]struct{}
	takes []*listener
}

func (n *network) port(host string) *port {
	return &port{net: n, host: host, conns: map[*conn]struct{}{}}
}

// synTime is how long a system tries to connect to one that does not answer.
const synTime = 30 * time.Second

var errDead = errors.New("sim: the process has ended")

// Listen implements machine.Network.
func (p *port) Listen(addr string) (net.Listener, error) {
	l := &listener{port: p, addr: tcpAddr(addr), wake: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		return nil, errDead
	}
	p.net.mu.Lock()
	defer p.net.mu.Unlock()
	if p.net.listeners[addr] != nil {
		return nil, &net.OpError{Op: "listen", Net: "tcp", Addr: l.addr, Err: syscall.EADDRINUSE}
	}
	p.net.listeners[addr] = l
	p.takes = append(p.takes, l)
	return l, nil
}

// Dial implements machine.Network.
func (p *port) Dial(ctx context.Context, addr string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	fail := func(err error) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: tcpAddr(addr), Err: err}
	}
	there, back := p.net.source(p.host, host), p.net.source(host, p.host)
	patience := time.NewTimer(synTime)
	defer patience.Stop()
	for { // as long as nobody answers
		p.mu.Lock()
		dead := p.dead
		p.mu.Unlock()
		if dead {
			return fail(errDead)
		}
		out, changed := p.net.blocked(p.host, host)
		in, _ := p.net.blocked(host, p.host)
		p.net.mu.Lock()
		silent := out || in || p.net.down[host]
		p.net.mu.Unlock()
		if !silent {
			break
		}
		select {
		case <-changed:
		case <-patience.C:
			return fail(syscall.ETIMEDOUT)
		case <-ctx.Done():
			return fail(ctx.Err())
		}
	}
	trip := time.NewTimer(p.net.delay(there, p.host, host) + p.net.delay(back, host, p.host))
	defer trip.Stop()
	select {
	case <-trip.C:
	case <-ctx.Done():
		return fail(ctx.Err())
	}
	p.net.mu.Lock()
	l := p.net.listeners[addr]
	p.net.mu.Unlock()
	if l == nil {
		return fail(syscall.ECONNREFUSED)
	}
	out, in := newPipe(p.net, p.host, host, there), newPipe(p.net, host, p.host, back)
	mine := &conn{port: p, local: tcpAddr(net.JoinHostPort(p.host, "40000")), remote: l.addr, in: in, out: out, wake: make(chan struct{})}
	theirs := &conn{port: l.port, local: l.addr, remote: mine.local, in: out, out: in, wake: make(chan struct{})}
	if !p.keep(mine) || !l.port.keep(theirs) || !l.push(theirs) {
		_ = mine.Close() // nobody has it
		return fail(syscall.ECONNREFUSED)
	}
	return mine, nil
}

// keep notes an open connection; false for a process that has ended.
func (p *port) keep(c *conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		return false
	}
	p.conns[c] = struct{}{}
	return true
}

// kill takes the process off the network. With reset the system tells those at the other
// ends; without power nobody does, until the host is there again (wake).
func (p *port) kill(reset bool) (wake func()) {
	p.mu.Lock()
	p.dead = true
	conns, takes := p.conns, p.takes
	p.conns = map[*conn]struct{}{}
	p.mu.Unlock()
	for _, l := range takes {
		_ = l.Close() // it cannot fail
	}
	p.net.mu.Lock()
	for addr, g := range p.net.gossips {
		if g.port == p {
			delete(p.net.gossips, addr)
		}
	}
	p.net.mu.Unlock()
	tell := func() {
		for c := range conns {
			c.in.end(syscall.EPIPE)       // what the other side writes
			c.out.end(syscall.ECONNRESET) // what it reads
		}
	}
	for c := range conns {
		c.interrupt(errDead)
	}
	if reset {
		tell()
		return func() {}
	}
	p.net.change(func() { p.net.down[p.host] = true })
	return func() {
		tell()
		p.net.change(func() { delete(p.net.down, p.host) })
	}
}

func tcpAddr(addr string) *net.TCPAddr {
	a, err := net.ResolveTCPAddr("tcp", addr) // an IP address: nobody is asked
	if err != nil {
		panic(err)
	}
	return a
}

// listener implements net.Listener.
type listener struct {
	port *port
	addr *net.TCPAddr

	mu       sync.Mutex
	queue    []net.Conn
	deadline time.Time
	closed   bool
	wake     chan struct{}
}

func (l *listener) signal() { close(l.wake); l.wake = make(chan struct{}) }

func (l *listener) push(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.queue = append(l.queue, c)
	l.signal()
	return true
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		l.mu.Lock()
		wake, deadline := l.wake, l.deadline
		switch {
		case l.closed:
			l.mu.Unlock()
			return nil, &net.OpError{Op: "accept", Net: "tcp", Addr: l.addr, Err: net.ErrClosed}
		case !deadline.IsZero() && !time.Now().Before(deadline):
			l.mu.Unlock()
			return nil, &net.OpError{Op: "accept", Net: "tcp", Addr: l.addr, Err: errTimeout}
		case len(l.queue) > 0:
			c := l.queue[0]
			l.queue = l.queue[1:]
			l.mu.Unlock()
			return c, nil
		}
		l.mu.Unlock()
		until(deadline, wake, nil, nil)
	}
}

// SetDeadline says when Accept gives up.
func (l *listener) SetDeadline(t time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deadline = t
	l.signal()
	return nil
}

// Close implements net.Listener.
func (l *listener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return net.ErrClosed
	}
	l.closed = true
	l.signal()
	for _, c := range l.queue {
		_ = c.Close() // the other side sees it
	}
	l.port.net.mu.Lock()
	defer l.port.net.mu.Unlock()
	if at := l.addr.String(); l.port.net.listeners[at] == l {
		delete(l.port.net.listeners, at)
	}
	return nil
}

// Addr implements net.Listener.
func (l *listener) Addr() net.Addr { return l.addr }

// until waits for a moment (none if it is zero) or one of the channels.
func until(at time.Time, a, b, c <-chan struct{}) {
	var due <-chan time.Time
	if !at.IsZero() {
		t := time.NewTimer(time.Until(at))
		defer t.Stop()
		due = t.C
	}
	select {
	case <-due:
	case <-a:
	case <-b:
	case <-c:
	}
}
