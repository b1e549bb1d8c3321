package routing

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"shoal/wire/span"
)

// Bounds of the queries in the slow log: bytes of each text, and number of queries.
const (
	slowText    = 1 << 10
	slowQueries = 10
)

// watch records where the time of the request goes and, with query, what it searches for.
func (x *Exchange) watch(query bool) {
	x.timeline, x.showsQuery = new(span.Timeline), query
	x.ctx = span.Watched(x.Context(), x.timeline)
}

// trace begins the span of the request, in the trace that its client named, if it did.
func (x *Exchange) trace(tracer trace.Tracer) span.Span {
	ctx := span.Traced(x.Context(), tracer)
	if told := x.HTTP.Header.Get(span.Header); told != "" {
		ctx = span.Arriving(ctx, told)
	}
	ctx, piece := span.Root(ctx, x.route.Name())
	piece.Set("http.request.method", x.route.Method)
	piece.Set("http.route", x.route.Pattern)
	if x.route.OnIndex {
		piece.Set("shoal.index", x.params[0])
	}
	x.ctx = ctx
	return piece
}

// traced ends the span of the request.
func (x *Exchange) traced(piece span.Span) {
	piece.SetInt("http.response.status_code", x.status)
	piece.SetInt("shoal.queued_us", int(x.Waited.Microseconds()))
	if x.status >= http.StatusInternalServerError {
		piece.Fail(errServer)
	}
	piece.End()
}

// errServer marks requests that failed for a reason of ours.
var errServer = errors.New("the request failed")

// Asks passes a query of the request to the slow log.
func (x *Exchange) Asks(q *string, filter json.RawMessage) {
	if !x.showsQuery || len(x.asked) >= slowQueries {
		return
	}
	var text string
	if q != nil {
		text = *q
	}
	name := "query"
	if n := len(x.asked); n > 0 {
		name += strconv.Itoa(n + 1)
	}
	x.asked = append(x.asked, slog.GroupAttrs(name, slog.String("q", clipped(text)), slog.String("filter", clipped(string(filter)))))
}

// clipped cuts a text between two characters.
func clipped(s string) string {
	if len(s) <= slowText {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(s[:slowText], "") + "..."
}

// logSlow logs a slow request and where its time went, but no secret of its caller.
// Streamed answers are not slow: they take as long as their reader or a model does.
func (s *Server) logSlow(x *Exchange, took time.Duration) {
	if x.timeline == nil || x.streamed && !x.searched {
		return
	}
	args := []any{"route", x.route.Name(), "status", x.status, "took", took, "queued", x.Waited}
	if x.route.OnIndex {
		args = append(args, "index", x.params[0])
	}
	if x.Auth.Key != nil {
		args = append(args, "key", x.Auth.Key.UID)
	}
	if id := span.TraceID(x.Context()); id != "" {
		args = append(args, "trace", id)
	}
	var steps []any
	for _, step := range x.timeline.Steps() {
		steps = append(steps, step.Name, step.Took)
	}
	args = append(args, slog.Group("steps", steps...))
	for _, asked := range x.asked {
		args = append(args, asked)
	}
	s.log.Warn("slow request", args...)
}
