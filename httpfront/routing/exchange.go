package routing

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/httpfront/auth"
	"shoal/httpfront/coding"
	"shoal/httpfront/connection"
	"shoal/httpfront/metrics"
	"shoal/httpfront/queue"
	"shoal/wire"
	"shoal/wire/span"
)

// Exchange is one request and its answer. It belongs to the goroutine of the
// request and is reused afterwards: nothing may keep a reference to it or to its
// buffers.
type Exchange struct {
	server *Server
	HTTP   *http.Request
	writer http.ResponseWriter
	// conn is the connection of the client. It is nil in tests without one.
	conn *connection.Conn
	// in is the body of the request.
	in     connection.Body
	route  *Route
	params [maxParams]string
	// Auth is what the caller may do. It is set before the handler runs.
	Auth auth.Rights
	// Waited is how long the request waited in the search queue.
	Waited time.Duration
	// searched: the request was admitted as a search.
	searched bool
	// searchEnded, if set, tells the limits of the key that the search has ended.
	searchEnded func()
	// permit is the place of a running search.
	permit queue.Permit
	// allowed bounds the time of the search.
	allowed allowance

	// ctx is the context of a request that searches or is timed, nil for the context of
	// HTTP. timeline records where its time goes. asked holds its queries if the log shows
	// them.
	ctx        context.Context
	timeline   *span.Timeline
	showsQuery bool
	asked      []metrics.SlowQuery

	status      int
	contentType string
	// body is the answer so far; handlers append to it.
	body []byte
	// streamed: the handler wrote the answer itself.
	streamed bool
	packed   bytes.Buffer
}

var exchanges = sync.Pool{New: func() any { return &Exchange{} }}

// keepBuffer is the largest answer buffer kept for the next request.
const keepBuffer = 1 << 20

func (x *Exchange) release() {
	x.allowed.close()
	body, packed := x.body, x.packed
	*x = Exchange{}
	if cap(body) <= keepBuffer {
		x.body = body[:0]
	}
	if packed.Cap() <= keepBuffer {
		packed.Reset()
		x.packed = packed
	}
	exchanges.Put(x)
}

// Context is the context of the request. It ends when the client leaves.
func (x *Exchange) Context() context.Context {
	if x.ctx != nil {
		return x.ctx
	}
	return x.HTTP.Context()
}

// Param returns the decoded path parameter at a position.
func (x *Exchange) Param(i int) string { return x.params[i] }

// fail sets the answer for an error of a handler.
func (x *Exchange) fail(err error) {
	known := x.ClientError(err)
	switch known.Code.Status {
	case http.StatusServiceUnavailable:
		x.writer.Header().Set("Retry-After", "10")
	case http.StatusTooManyRequests:
		x.writer.Header().Set("Retry-After", "1")
	}
	x.status, x.contentType = known.Code.Status, "application/json"
	x.body = known.AppendJSON(x.body[:0])
}

// ClientError returns the error that a client is told for err. Errors other than
// *apierr.Error are conditions of the cluster, or faults of ours, which are logged.
func (x *Exchange) ClientError(err error) *apierr.Error {
	var known *apierr.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(context.Cause(x.Context()), &known): // errTooLong
		return known
	case errors.Is(err, wire.ErrNoLeader), errors.Is(err, wire.ErrNotLeader), errors.Is(err, wire.ErrFenced):
		return apierr.NoLeader()
	case errors.Is(err, wire.ErrUnavailable), errors.Is(err, wire.ErrClosed), errors.Is(err, wire.ErrBehind), errors.Is(err, wire.ErrGone),
		errors.Is(err, wire.ErrNoShard):
		x.server.log.Debug("a node with a part of the data does not answer", "route", x.route.Name(), "error", err)
		return apierr.ShardUnavailable()
	case errors.Is(err, wire.ErrDamaged):
		return apierr.ShardDamaged()
	case errors.Is(err, context.Canceled):
		// The client has left, so the text does not matter.
		return apierr.New(apierr.CodeInternal, "The request was canceled.")
	}
	args := []any{"route", x.route.Name(), "error", err}
	var crash *wire.Crash
	if errors.As(err, &crash) {
		args = append(args, "stack", crash.Stack)
	}
	x.server.log.Error("request failed", args...)
	if fault, ok := apierr.SystemFault("", err); ok {
		return fault
	}
	return apierr.New(apierr.CodeInternal, "An internal error has occurred. `"+err.Error()+"`.")
}

// finish sends the answer in one write, in a coding that the client accepts.
func (x *Exchange) finish() {
	if x.streamed {
		return
	}
	x.in.Settle(x.writer, x.HTTP, x.status)
	h := x.writer.Header()
	if x.contentType != "" {
		h["Content-Type"] = []string{x.contentType}
	}
	if len(x.body) == 0 {
		x.conn.Send(x.writer, x.status, nil)
		return
	}
	chosen, ok := coding.Negotiate(x.HTTP.Header["Accept-Encoding"])
	if !ok {
		x.refuseEncoding()
		return
	}
	if chosen == coding.Identity {
		x.depart()
		x.conn.Send(x.writer, x.status, x.body)
		return
	}
	x.packed.Reset()
	if err := coding.Compress(&x.packed, chosen, x.body); err != nil {
		// Writing to memory does not fail. If it did, the plain body would be right too.
		x.conn.Send(x.writer, x.status, x.body)
		return
	}
	x.depart()
	h["Content-Encoding"] = []string{chosen.String()}
	h.Add("Vary", "accept-encoding")
	x.conn.Send(x.writer, x.status, x.packed.Bytes())
}

// refuseEncoding answers a client that accepts no coding that we have.
func (x *Exchange) refuseEncoding() {
	h := x.writer.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Vary", "Accept-Encoding")
	x.conn.Send(x.writer, http.StatusNotAcceptable, []byte(coding.Accepted))
}

// Features are the experimental features in force.
func (x *Exchange) Features() settings.Features { return x.server.gate.Features() }

// PayloadLimit bounds decoded bodies, in bytes.
func (x *Exchange) PayloadLimit() int64 { return x.server.cfg.PayloadLimit }

// Metrics counts what happens to searches.
func (x *Exchange) Metrics() *metrics.Requests { return x.server.stats }
