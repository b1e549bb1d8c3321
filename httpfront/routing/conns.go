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
	"shoal/wire/beat"
)

// Times that connections have. A body or an answer may take hours, as long as it moves.
const (
	// headTime is how long the head of a request may take.
	headTime = 10 * time.Second
	// bodyPause is how long a body may stand still, answerPause how long an answer may
	// take for each MiB.
	bodyPause   = 30 * time.Second
	answerPause = 60 * time.Second
	// searchBodyTime is how long the whole body of a search may take: it is small.
	searchBodyTime = 60 * time.Second
	// idleTime is how long a connection may wait for its next request.
	idleTime = 120 * time.Second
)

// answerPiece is what is written of an answer at a time.
const answerPiece = 1 << 20

// connTable knows the connections of clients: it refuses those beyond the most that
// there may be, and cuts those that stand still. Safe for concurrent use.
type connTable struct {
	most int
	mu   sync.Mutex
	all  map[net.Conn]*clientConn
	// refusing bounds the connections that are being told that there are too many.
	refusing chan struct{}
	refused  atomic.Int64
}

// clientConn is one connection. Moments are nanoseconds of the clock, 0 for never.
type clientConn struct {
	conn net.Conn
	// gather is the connection as it gathers writes, nil for others.
	gather *gatherConn
	// waiting is since when it has waited for a request, 0 while it serves one.
	waiting atomic.Int64
	// reads and writes are when it is cut unless something has come, or gone, by then.
	reads, writes atomic.Int64
}

func newConnTable(most int) *connTable {
	return &connTable{most: most, all: map[net.Conn]*clientConn{}, refusing: make(chan struct{}, 64)}
}

type connKey struct{}

// keep puts a new connection into the table and where its requests find it.
func (t *connTable) keep(ctx context.Context, c net.Conn) context.Context {
	e := &clientConn{conn: c}
	e.gather, _ = c.(*gatherConn)
	e.waiting.Store(time.Now().UnixNano())
	t.mu.Lock()
	t.all[c] = e
	t.mu.Unlock()
	return context.WithValue(ctx, connKey{}, e)
}

// connOf is the connection of a request; nil in tests without one.
func connOf(ctx context.Context) *clientConn {
	e, _ := ctx.Value(connKey{}).(*clientConn)
	return e
}

// changed is told by net/http when a connection ends.
func (t *connTable) changed(c net.Conn, state http.ConnState) {
	if state == http.StateClosed || state == http.StateHijacked {
		t.mu.Lock()
		delete(t.all, c)
		t.mu.Unlock()
	}
}

// room makes room for one more connection: when there are too many, one that serves no
// request is closed, of those looked at the one that waits longest. Without one there
// is none.
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

// tooManyConnections is the answer to a connection that there is no room for, whatever
// it asks.
var tooManyConnections = func() string {
	body := string(errTooManyConnections.AppendJSON(nil))
	return "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) +
		"\r\nRetry-After: 10\r\nConnection: close\r\n\r\n" + body
}()

// refuse answers a connection that there is no room for. It does not wait for the
// client; a few are told why, under a flood the others are only closed.
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
				// What is lost here is lost to a client that is refused anyway.
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

// watch cuts the connections that stand still, until ctx ends.
func (t *connTable) watch(ctx context.Context) {
	tick := time.NewTimer(beat.Until(time.Second))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			tick.Reset(beat.Until(time.Second))
			t.cut(now.UnixNano())
		}
	}
}

// cut ends what was to have moved by now. A read or write that waits fails.
func (t *connTable) cut(now int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.all {
		// What fails here has failed already.
		if at := e.reads.Load(); at != 0 && at < now {
			_ = e.conn.SetReadDeadline(time.Unix(1, 0))
		}
		if at := e.writes.Load(); at != 0 && at < now {
			_ = e.conn.SetWriteDeadline(time.Unix(1, 0))
		}
	}
}

// count is how many connections there are.
func (t *connTable) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.all)
}

// reading says that something has to come within the time, 0 that nothing has to. A
// nil connection may be told, too.
func (e *clientConn) reading(within time.Duration) {
	switch {
	case e == nil:
	case within == 0:
		e.reads.Store(0)
	default:
		e.reads.Store(time.Now().Add(within).UnixNano())
	}
}

// writing says that an answer has to go within the time.
func (e *clientConn) writing(within time.Duration) {
	if e != nil {
		e.writes.Store(time.Now().Add(within).UnixNano())
	}
}

// wrote says that nothing of an answer is on its way.
func (e *clientConn) wrote() {
	if e != nil {
		e.writes.Store(0)
	}
}

// serving and resting tell the beginning and end of a request.
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
		e.writes.Store(now.Add(idleTime).UnixNano()) // the end of the answer is still to be sent
		e.waiting.Store(now.UnixNano())
	}
}

// incoming is the body of a request as it comes in: each read has to bring something
// within the pause, and all of it has to be there at the end.
type incoming struct {
	from io.ReadCloser
	conn *clientConn
	// end is when the body has to have come, 0 for no such time.
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

// rest is the largest rest of a body that is read after an answer that did not want it,
// so that the connection can be used again.
const rest = 64 << 10

// settle decides what becomes of a body that the handler did not read to its end,
// before the answer is written. After a refusal of the key, and when much is to come,
// the connection is closed; otherwise the rest has a second to come.
func (b *incoming) settle(w http.ResponseWriter, r *http.Request, status int) {
	if b.done || r.ContentLength == 0 {
		return
	}
	within := time.Second
	if status == http.StatusUnauthorized || status == http.StatusForbidden || r.ContentLength < 0 || r.ContentLength > rest {
		w.Header()["Connection"] = []string{"close"}
		within = 0
	}
	// net/http clears it before the next request. Without a connection there is nothing
	// to wait for.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(within))
}
