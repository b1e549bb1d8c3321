package startup

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"shoal/api/apierr"
)

const (
	// maxConns is how many connections wait at once; more are closed.
	maxConns = 1000
	// maxHead bounds the part of a request that is read to recognise a probe, in bytes.
	maxHead = 8 << 10
	// headTime is how long a client may take to send that part, writeTime to receive an
	// answer.
	headTime, writeTime = 10 * time.Second, 5 * time.Second
	// acceptRest is the pause after a failed accept.
	acceptRest = 50 * time.Millisecond
)

// Listener is the listener for clients, before and after the node serves. Attend creates it.
type Listener struct {
	net.Listener
	interrupt func(time.Time) error
	hold      time.Duration
	why       atomic.Pointer[string]
	log       *slog.Logger

	opened  chan struct{} // closed by Open and Close
	inside  sync.WaitGroup
	accepts chan struct{} // closed when the loop has ended

	mu      sync.Mutex
	open    bool
	waiting map[net.Conn]struct{}
	held    []net.Conn // for Accept
}

// Config configures a Listener.
type Config struct {
	// Listener accepts the connections, with TLS if configured. Interrupt sets the time at
	// which its Accept gives up.
	Listener  net.Listener
	Interrupt func(time.Time) error
	// Hold is how long a request waits before it is refused.
	Hold time.Duration
	// Why says what the node is waiting for at first.
	Why string
	Log *slog.Logger
}

// Attend answers clients until Open or Close.
func Attend(c Config) *Listener {
	l := &Listener{
		Listener: c.Listener, interrupt: c.Interrupt, hold: c.Hold, log: c.Log,
		opened: make(chan struct{}), accepts: make(chan struct{}), waiting: map[net.Conn]struct{}{},
	}
	l.Await(c.Why)
	go l.attend()
	return l
}

// Await records what the node is waiting for from now on. It may be called concurrently
// with all other methods.
func (l *Listener) Await(what string) { l.why.Store(&what) }

// Awaits is what the node last waited for.
func (l *Listener) Awaits() string { return *l.why.Load() }

func (l *Listener) attend() {
	defer close(l.accepts)
	for {
		c, err := l.Listener.Accept()
		switch {
		case err == nil && l.enter(c):
			l.inside.Go(func() { l.receive(c) })
		case err == nil:
			_ = c.Close() // too many: the client sees that
		case l.isOpen() || errors.Is(err, net.ErrClosed):
			return
		default:
			l.log.Debug("a connection was not accepted", "error", err)
			select {
			case <-l.opened:
			case <-time.After(acceptRest):
			}
		}
	}
}

// enter counts a connection. It returns false if there are too many.
func (l *Listener) enter(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) >= maxConns {
		return false
	}
	l.waiting[c] = struct{}{}
	return true
}

func (l *Listener) isOpen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}

// receive handles one connection: it answers and closes it, or keeps it for Accept together
// with the bytes read.
func (l *Listener) receive(c net.Conn) {
	var read bytes.Buffer
	keep := false
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.waiting, c)
		if !keep || !l.open {
			_ = c.Close() // it was answered, or its client has left
			return
		}
		if err := c.SetDeadline(time.Time{}); err == nil {
			l.held = append(l.held, &resumed{Conn: c, head: read.Bytes()})
		}
	}()
	l.mu.Lock()
	err := c.SetReadDeadline(time.Now().Add(headTime))
	if l.open {
		err = c.SetReadDeadline(time.Unix(1, 0))
	}
	l.mu.Unlock()
	if err != nil {
		return
	}
	r, err := http.ReadRequest(bufio.NewReader(io.TeeReader(io.LimitReader(c, maxHead), &read)))
	switch {
	case l.isOpen():
		keep = true
		return
	case err != nil && read.Len() < maxHead:
		return // it left, was too slow, or does not speak HTTP
	case err == nil && probe(r, "/livez"):
		l.answer(c, r.Method, http.StatusOK, "text/plain; charset=utf-8", "ok\n")
		return
	case err == nil && probe(r, "/readyz"):
		l.answer(c, r.Method, http.StatusServiceUnavailable, "text/plain; charset=utf-8", "[-] part of a cluster: "+l.Awaits()+"\nnot ready\n")
		return
	}
	method := ""
	if err == nil {
		method = r.Method
	}
	late := time.NewTimer(l.hold)
	defer late.Stop()
	select {
	case <-l.opened:
		keep = true
	case <-late.C:
		l.answer(c, method, http.StatusServiceUnavailable, "application/json", string(apierr.Starting(l.Awaits()).AppendJSON(nil)))
	}
}

func probe(r *http.Request, path string) bool {
	return r.URL.Path == path && (r.Method == http.MethodGet || r.Method == http.MethodHead)
}

func (l *Listener) answer(c net.Conn, method string, status int, kind, body string) {
	retry := ""
	if status != http.StatusOK {
		retry = "Retry-After: 5\r\n"
	}
	if err := c.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return
	}
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n%sConnection: close\r\n\r\n",
		status, http.StatusText(status), kind, len(body), retry)
	if method == http.MethodHead {
		body = ""
	}
	_, _ = io.WriteString(c, head+body) // an error means that the client has left
}

// Open ends attending: from now on Accept returns the waiting connections, then new ones.
// It returns when attending has ended.
func (l *Listener) Open() error {
	l.mu.Lock()
	was := l.open
	l.open = true
	if !was {
		close(l.opened)
	}
	for c := range l.waiting {
		_ = c.SetReadDeadline(time.Unix(1, 0)) // an error means that it is gone and needs no waking
	}
	l.mu.Unlock()
	if was {
		return nil
	}
	err := l.interrupt(time.Unix(1, 0))
	<-l.accepts
	l.inside.Wait()
	return errors.Join(err, l.interrupt(time.Time{}))
}

// Accept implements net.Listener. Call it after Open only.
func (l *Listener) Accept() (net.Conn, error) {
	l.mu.Lock()
	if n := len(l.held); n > 0 {
		c := l.held[0]
		l.held = l.held[1:]
		l.mu.Unlock()
		return c, nil
	}
	l.mu.Unlock()
	return l.Listener.Accept()
}

// Close closes the listener and the waiting connections, and returns when attending has
// ended.
func (l *Listener) Close() error {
	err := l.Listener.Close()
	l.mu.Lock()
	if !l.open {
		l.open = true
		close(l.opened)
	}
	for c := range l.waiting {
		_ = c.SetReadDeadline(time.Unix(1, 0))
	}
	l.mu.Unlock()
	<-l.accepts
	l.inside.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.held {
		_ = c.Close() // nobody wrote anything to it
	}
	l.held = nil
	return err
}

// resumed is a connection of which a part was already read.
type resumed struct {
	net.Conn
	head []byte
}

// Read returns the bytes read before, then the rest.
func (c *resumed) Read(p []byte) (int, error) {
	if len(c.head) == 0 {
		return c.Conn.Read(p)
	}
	n := copy(p, c.head)
	c.head = c.head[n:]
	return n, nil
}
