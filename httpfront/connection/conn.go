package connection

import (
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// Conn is one connection. All its methods may be called on nil, which stands for a request
// without a connection of its own, and then set no limits. It belongs to the goroutine of
// its request. Times are nanoseconds of the clock, 0 for never.
type Conn struct {
	conn net.Conn
	// gather is the connection if it gathers writes, otherwise nil.
	gather *gatherConn
	// waiting is when it began to wait for a request, 0 while it serves one.
	waiting atomic.Int64
	// reads and writes are when the connection is cut unless it has made progress in that
	// direction.
	reads, writes atomic.Int64
}

type connKey struct{}

// Of is the connection of a request, by its context, or nil.
func Of(ctx context.Context) *Conn {
	c, _ := ctx.Value(connKey{}).(*Conn)
	return c
}

// Without returns a context for a request within the request of ctx: it has no connection.
func Without(ctx context.Context) context.Context {
	return context.WithValue(ctx, connKey{}, (*Conn)(nil))
}

// Begin marks the beginning of a request.
func (c *Conn) Begin() {
	if c != nil {
		c.reads.Store(0)
		c.writes.Store(0)
		c.waiting.Store(0)
	}
}

// End marks the end of a request.
func (c *Conn) End() {
	if c != nil {
		now := time.Now()
		c.writes.Store(now.Add(idleTime).UnixNano()) // net/http still has to send the end of the answer
		c.waiting.Store(now.UnixNano())
	}
}

// reading demands that something comes within the time; 0 lifts the demand.
func (c *Conn) reading(within time.Duration) {
	switch {
	case c == nil:
	case within == 0:
		c.reads.Store(0)
	default:
		c.reads.Store(time.Now().Add(within).UnixNano())
	}
}

// Sending gives the client 60 s to read the next write of an answer.
func (c *Conn) Sending() {
	if c != nil {
		c.writes.Store(time.Now().Add(answerPause).UnixNano())
	}
}

// Sent says that no part of an answer is being sent.
func (c *Conn) Sent() {
	if c != nil {
		c.writes.Store(0)
	}
}

// Send sends status, length and body, in one write unless the body is large. A failed write
// means that the client has left, so it is not reported.
func (c *Conn) Send(w http.ResponseWriter, status int, body []byte) {
	c.gatherNext(len(body))
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = c.pieces(w, body)
}

// Write writes a part of an answer to w. No time limit runs while the next part is made.
func (c *Conn) Write(w io.Writer, p []byte) (n int, err error) {
	defer c.Sent()
	return c.pieces(w, p)
}

// answerPiece is how much of an answer is written at a time, in bytes.
const answerPiece = 1 << 20

// pieces writes p piece by piece. The client has answerPause to read each of them.
func (c *Conn) pieces(w io.Writer, p []byte) (n int, err error) {
	for len(p) > 0 && err == nil {
		c.Sending()
		var k int
		k, err = w.Write(p[:min(len(p), answerPiece)])
		n, p = n+k, p[k:]
	}
	return n, err
}
