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

// Door is the listener for clients, before and after the node serves. Attend creates it.
type Door struct {
	net.Listener
	interrupt func(time.Time) error
	hold      time.Duration
	why       func() string
	log       *slog.Logger

	opened  chan struct{} // closed by Open and Close
	inside  sync.WaitGroup
	accepts chan struct{} // closed when the loop has ended

	mu      sync.Mutex
	open    bool
	waiting map[net.Conn]struct{}
	held    []net.Conn // for Accept
}

// Config configures a Door.
type Config struct {
	// Listener accepts the connections, with TLS if configured. Interrupt sets the time at
	// which its Accept gives up.
	Listener  net.Listener
	Interrupt func(time.Time) error
	// Hold is how long a request waits before it is refused.
	Hold time.Duration
	// Why says what the node is waiting for.
	Why func() string
	Log *slog.Logger
}

// Attend answers clients until Open or Close.
func Attend(c Config) *Door {
	d := &Door{
		Listener: c.Listener, interrupt: c.Interrupt, hold: c.Hold, why: c.Why, log: c.Log,
		opened: make(chan struct{}), accepts: make(chan struct{}), waiting: map[net.Conn]struct{}{},
	}
	go d.attend()
	return d
}

func (d *Door) attend() {
	defer close(d.accepts)
	for {
		c, err := d.Listener.Accept()
		switch {
		case err == nil && d.enter(c):
			d.inside.Go(func() { d.receive(c) })
		case err == nil:
			_ = c.Close() // too many: the client sees that
		case d.isOpen() || errors.Is(err, net.ErrClosed):
			return
		default:
			d.log.Debug("a connection was not accepted", "error", err)
			select {
			case <-d.opened:
			case <-time.After(acceptRest):
			}
		}
	}
}

// enter counts a connection. It returns false if there are too many.
func (d *Door) enter(c net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.waiting) >= maxConns {
		return false
	}
	d.waiting[c] = struct{}{}
	return true
}

func (d *Door) isOpen() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.open
}

// receive handles one connection: it answers and closes it, or keeps it for Accept together
// with the bytes read.
func (d *Door) receive(c net.Conn) {
	var read bytes.Buffer
	keep := false
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.waiting, c)
		if !keep || !d.open {
			_ = c.Close() // it was answered, or its client has left
			return
		}
		if err := c.SetDeadline(time.Time{}); err == nil {
			d.held = append(d.held, &resumed{Conn: c, head: read.Bytes()})
		}
	}()
	d.mu.Lock()
	err := c.SetReadDeadline(time.Now().Add(headTime))
	if d.open {
		err = c.SetReadDeadline(time.Unix(1, 0))
	}
	d.mu.Unlock()
	if err != nil {
		return
	}
	r, err := http.ReadRequest(bufio.NewReader(io.TeeReader(io.LimitReader(c, maxHead), &read)))
	switch {
	case d.isOpen():
		keep = true
		return
	case err != nil && read.Len() < maxHead:
		return // it left, was too slow, or does not speak HTTP
	case err == nil && probe(r, "/livez"):
		d.answer(c, r.Method, http.StatusOK, "text/plain; charset=utf-8", "ok\n")
		return
	case err == nil && probe(r, "/readyz"):
		d.answer(c, r.Method, http.StatusServiceUnavailable, "text/plain; charset=utf-8", "[-] part of a cluster: "+d.why()+"\nnot ready\n")
		return
	}
	method := ""
	if err == nil {
		method = r.Method
	}
	late := time.NewTimer(d.hold)
	defer late.Stop()
	select {
	case <-d.opened:
		keep = true
	case <-late.C:
		d.answer(c, method, http.StatusServiceUnavailable, "application/json", string(apierr.Starting(d.why()).AppendJSON(nil)))
	}
}

func probe(r *http.Request, path string) bool {
	return r.URL.Path == path && (r.Method == http.MethodGet || r.Method == http.MethodHead)
}

func (d *Door) answer(c net.Conn, method string, status int, kind, body string) {
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
func (d *Door) Open() error {
	d.mu.Lock()
	was := d.open
	d.open = true
	if !was {
		close(d.opened)
	}
	for c := range d.waiting {
		_ = c.SetReadDeadline(time.Unix(1, 0)) // an error means that it is gone and needs no waking
	}
	d.mu.Unlock()
	if was {
		return nil
	}
	err := d.interrupt(time.Unix(1, 0))
	<-d.accepts
	d.inside.Wait()
	return errors.Join(err, d.interrupt(time.Time{}))
}

// Accept implements net.Listener. Call it after Open only.
func (d *Door) Accept() (net.Conn, error) {
	d.mu.Lock()
	if n := len(d.held); n > 0 {
		c := d.held[0]
		d.held = d.held[1:]
		d.mu.Unlock()
		return c, nil
	}
	d.mu.Unlock()
	return d.Listener.Accept()
}

// Close closes the listener and the waiting connections, and returns when attending has
// ended.
func (d *Door) Close() error {
	err := d.Listener.Close()
	d.mu.Lock()
	if !d.open {
		d.open = true
		close(d.opened)
	}
	for c := range d.waiting {
		_ = c.SetReadDeadline(time.Unix(1, 0))
	}
	d.mu.Unlock()
	<-d.accepts
	d.inside.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.held {
		_ = c.Close() // nobody wrote anything to it
	}
	d.held = nil
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
