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

	"shoal/httpfront/metrics"
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
	x.asked = append(x.asked, metrics.SlowQuery{Q: clipped(text), Filter: clipped(string(filter))})
}

// clipped cuts a text between two characters.
func clipped(s string) string {
	if len(s) <= slowText {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(s[:slowText], "") + "..."
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// noteSlow remembers a slow request, and logs it if the slow log says so: where its time
// went, but no secret of its caller. Streamed answers are not slow: they take as long as
// their reader or a model does.
func (s *Server) noteSlow(x *Exchange, took time.Duration, logged bool) {
	if x.streamed && !x.searched {
		return
	}
	r := &metrics.SlowRequest{
		At: time.Now().UnixMilli(), Route: x.route.Name(), Status: x.status, Took: milliseconds(took), Queued: milliseconds(x.Waited),
		Steps: []metrics.SlowStep{}, Queries: x.asked, Trace: span.TraceID(x.Context()),
	}
	if x.route.OnIndex {
		r.Index = clipped(x.params[0])
	}
	if x.Auth.Key != nil {
		r.Key = x.Auth.Key.UID
	}
	var steps []any
	if x.timeline != nil {
		for _, step := range x.timeline.Steps() {
			r.Steps = append(r.Steps, metrics.SlowStep{Name: step.Name, Took: milliseconds(step.Took)})
			steps = append(steps, step.Name, step.Took)
		}
	}
	s.stats.Slow(r)
	if !logged {
		return
	}
	args := []any{"route", r.Route, "status", r.Status, "took", took, "queued", x.Waited}
	for _, about := range []struct{ name, is string }{{"index", r.Index}, {"key", r.Key}, {"trace", r.Trace}} {
		if about.is != "" {
			args = append(args, about.name, about.is)
		}
	}
	args = append(args, slog.Group("steps", steps...))
	for i, q := range r.Queries {
		name := "query"
		if i > 0 {
			name += strconv.Itoa(i + 1)
		}
		args = append(args, slog.Group(name, "q", q.Q, "filter", q.Filter))
	}
	s.log.Warn("slow request", args...)
}
