package routing

import (
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"shoal/api/apierr"
	"shoal/wire/await"
)

// Time limits of connections. A body or an answer may take hours as long as it makes
// progress.
const (
	// headTime bounds the time for the head of a request.
	headTime = 10 * time.Second
	// bodyPause bounds the time between two reads of a body, answerPause the time for each
	// MiB of an answer.
	bodyPause   = 30 * time.Second
	answerPause = 60 * time.Second
	// searchBodyTime bounds the time for the whole body of a search, which is small.
	searchBodyTime = 60 * time.Second
	// idleTime is how long a connection may wait for its next request.
	idleTime = 120 * time.Second
)

// answerPiece is how much of an answer is written at a time, in bytes.
const answerPiece = 1 << 20

// connTable holds the connections of clients. It refuses connections beyond `most` and cuts
// stalled ones. Safe for concurrent use.
type connTable struct {
	most int
	mu   sync.Mutex
	all  map[net.Conn]*clientConn
	// refusing bounds the connections that are being told that there are too many.
	refusing chan struct{}
	refused  atomic.Int64
}

// clientConn is one connection. Times are nanoseconds of the clock, 0 for never.
type clientConn struct {
	conn net.Conn
	// gather is the connection if it gathers writes, otherwise nil.
	gather *gatherConn
	// waiting is when it began to wait for a request, 0 while it serves one.
	waiting atomic.Int64
	// reads and writes are when the connection is cut unless it has made progress in that
	// direction.
	reads, writes atomic.Int64
}

func newConnTable(most int) *connTable {
	return &connTable{most: most, all: map[net.Conn]*clientConn{}, refusing: make(chan struct{}, 64)}
}

type connKey struct{}

// keep adds a new connection to the table and to the context of its requests.
func (t *connTable) keep(ctx context.Context, c net.Conn) context.Context {
	e := &clientConn{conn: c}
	e.gather, _ = c.(*gatherConn)
	e.waiting.Store(time.Now().UnixNano())
	t.mu.Lock()
	t.all[c] = e
	t.mu.Unlock()
	return context.WithValue(ctx, connKey{}, e)
}

// connOf is the connection of a request. It is nil in tests without one.
func connOf(ctx context.Context) *clientConn {
	e, _ := ctx.Value(connKey{}).(*clientConn)
	return e
}

// changed is called by net/http when the state of a connection changes.
func (t *connTable) changed(c net.Conn, state http.ConnState) {
	if state == http.StateClosed || state == http.StateHijacked {
		t.mu.Lock()
		delete(t.all, c)
		t.mu.Unlock()
	}
}

// room makes room for one more connection. If the table is full, it closes an idle
// connection, the longest idle of those that it looks at. It returns false if it finds
// none.
func (t *connTable) room() bool {
	t.mu.Lock()
	var oldest *clientConn
	full, looked := len(t.all) >= t.most, 0
	if full {
		since := int64(0)
		for _, e := range t.all {
			if w := e.waiting.Load(); w != 0 && (oldest == nil || w < since) {
				oldest, since = e, w
			}
			if looked++; looked >= 256 && oldest != nil {
				break
			}
		}
		if oldest != nil {
			delete(t.all, oldest.conn)
		}
	}
	t.mu.Unlock()
	if oldest != nil {
		_ = oldest.conn.Close() // its client opens another one
	}
	return !full || oldest != nil
}

var errTooManyConnections = apierr.New(apierr.Code{Name: "too_many_connections", Type: "system", Status: http.StatusServiceUnavailable}, "Too many connections. Retry after 10s.")

// tooManyConnections answers any request on a connection for which there is no room.
var tooManyConnections = func() string {
	body := string(errTooManyConnections.AppendJSON(nil))
	return "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) +
		"\r\nRetry-After: 10\r\nConnection: close\r\n\r\n" + body
}()

// refuse answers a connection for which there is no room, without waiting for the client.
// It tells a few clients why; under a flood it only closes the others.
func (t *connTable) refuse(c net.Conn) {
	t.refused.Add(1)
	tcp, plain := c.(*net.TCPConn)
	select {
	case t.refusing <- struct{}{}:
		if plain {
			go func() {
				defer func() { <-t.refusing }()
				defer func() { _ = c.Close() }()
				_ = c.SetDeadline(time.Now().Add(time.Second))
				// Errors do not matter here: the client is refused anyway.
				if _, err := io.WriteString(c, tooManyConnections); err == nil && tcp.CloseWrite() == nil {
					_, _ = io.CopyN(io.Discard, c, maxHead)
				}
			}()
			return
		}
		<-t.refusing
	default:
	}
	_ = c.Close()
}

// watch cuts stalled connections until ctx ends.
func (t *connTable) watch(ctx context.Context) {
	tick := time.NewTimer(await.Until(time.Second))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			tick.Reset(await.Until(time.Second))
			t.cut(now.UnixNano())
		}
	}
}

// cut cuts connections whose time is over: a waiting read or write fails.
func (t *connTable) cut(now int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.all {
		// If this fails, the connection has failed already.
		if at := e.reads.Load(); at != 0 && at < now {
			_ = e.conn.SetReadDeadline(time.Unix(1, 0))
		}
		if at := e.writes.Load(); at != 0 && at < now {
			_ = e.conn.SetWriteDeadline(time.Unix(1, 0))
		}
	}
}

// count is the number of connections.
func (t *connTable) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.all)
}

// reading demands that something comes within the time; 0 lifts the demand. e may be nil.
func (e *clientConn) reading(within time.Duration) {
	switch {
	case e == nil:
	case within == 0:
		e.reads.Store(0)
	default:
		e.reads.Store(time.Now().Add(within).UnixNano())
	}
}

// writing demands that an answer makes progress within the time.
func (e *clientConn) writing(within time.Duration) {
	if e != nil {
		e.writes.Store(time.Now().Add(within).UnixNano())
	}
}

// wrote says that no part of an answer is being sent.
func (e *clientConn) wrote() {
	if e != nil {
		e.writes.Store(0)
	}
}

// serving and resting mark the beginning and the end of a request.
func (e *clientConn) serving() {
	if e != nil {
		e.reads.Store(0)
		e.writes.Store(0)
		e.waiting.Store(0)
	}
}

func (e *clientConn) resting() {
	if e != nil {
		now := time.Now()
		e.writes.Store(now.Add(idleTime).UnixNano()) // net/http still has to send the end of the answer
		e.waiting.Store(now.UnixNano())
	}
}

// incoming is the body of a request while it comes in. Each read must bring something
// within bodyPause, and the whole body must come before end.
type incoming struct {
	from io.ReadCloser
	conn *clientConn
	// end is when the whole body must have come, the zero time for no limit.
	end  time.Time
	done bool
}

// Read implements io.Reader.
func (b *incoming) Read(p []byte) (int, error) {
	if b.conn != nil {
		within := bodyPause
		if !b.end.IsZero() {
			within = min(within, time.Until(b.end))
		}
		b.conn.reading(within)
		defer b.conn.reading(0)
	}
	n, err := b.from.Read(p)
	if err != nil {
		b.done = true
	}
	return n, err
}

// Close implements io.Closer.
func (b *incoming) Close() error { return b.from.Close() }

// rest bounds the unread part of a body that is read after the answer so that the
// connection can be used again, in bytes.
const rest = 64 << 10

// finish decides, before the answer is written, what happens to a body that the handler did
// not read to its end. If the key was refused or much is to come, the connection is closed.
// Otherwise the rest has a second to come.
func (b *incoming) finish(w http.ResponseWriter, r *http.Request, status int) {
	if b.done || r.ContentLength == 0 {
		return
	}
	within := time.Second
	if status == http.StatusUnauthorized || status == http.StatusForbidden || r.ContentLength < 0 || r.ContentLength > rest {
		w.Header()["Connection"] = []string{"close"}
		within = 0
	}
	// net/http clears the deadline before the next request. An error means that there is no
	// connection to wait for.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(within))
}
