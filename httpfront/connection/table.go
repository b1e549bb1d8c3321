package connection

import (
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"shoal/api/apierr"
	"shoal/wire/await"
)

// table holds the connections of clients. It refuses connections beyond `most` and cuts
// stalled ones. Safe for concurrent use.
type table struct {
	most int
	mu   sync.Mutex
	all  map[net.Conn]*Conn
	// refusing bounds the connections that are being told that there are too many.
	refusing chan struct{}
}

func newTable(most int) *table {
	return &table{most: most, all: map[net.Conn]*Conn{}, refusing: make(chan struct{}, 64)}
}

// keep adds a new connection to the table and to the context of its requests.
func (t *table) keep(ctx context.Context, c net.Conn) context.Context {
	e := &Conn{conn: c}
	e.gather, _ = c.(*gatherConn)
	e.waiting.Store(time.Now().UnixNano())
	t.mu.Lock()
	t.all[c] = e
	t.mu.Unlock()
	return context.WithValue(ctx, connKey{}, e)
}

// changed is called by net/http when the state of a connection changes.
func (t *table) changed(c net.Conn, state http.ConnState) {
	if state == http.StateClosed || state == http.StateHijacked {
		t.mu.Lock()
		delete(t.all, c)
		t.mu.Unlock()
	}
}

// room makes room for one more connection. If the table is full, it closes an idle
// connection, the longest idle of those that it looks at. It returns false if it finds
// none.
func (t *table) room() bool {
	t.mu.Lock()
	var oldest *Conn
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
func (t *table) refuse(c net.Conn) {
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
func (t *table) watch(ctx context.Context) {
	for await.Sleep(ctx, await.Until(time.Second)) == nil {
		t.cut(time.Now().UnixNano())
	}
}

// cut cuts connections whose time is over: a waiting read or write fails.
func (t *table) cut(now int64) {
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
