package span

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// watch is who looks at the work under a context: nobody where there is none.
type watch struct {
	timeline *Timeline
	tracer   trace.Tracer
}

type watchKey struct{}

func watchOf(ctx context.Context) watch {
	w, _ := ctx.Value(watchKey{}).(*watch)
	if w == nil {
		return watch{}
	}
	return *w
}

// Watched returns a context whose pieces are noted in t.
func Watched(ctx context.Context, t *Timeline) context.Context {
	w := watchOf(ctx)
	w.timeline = t
	return context.WithValue(ctx, watchKey{}, &w)
}

// Traced returns a context whose roots, and the pieces below them, become spans of the
// tracer; nil: none do.
func Traced(ctx context.Context, tracer trace.Tracer) context.Context {
	if tracer == nil {
		return ctx
	}
	w := watchOf(ctx)
	w.tracer = tracer
	return context.WithValue(ctx, watchKey{}, &w)
}

// Span is a piece of the work on a request. It belongs to whoever started it; that of
// work which nobody watches does nothing.
type Span struct {
	timeline *Timeline
	name     string
	begun    time.Time
	traced   trace.Span // nil: it is in no trace
}

// Start begins a piece of the work; End must be called once. The context is that of the
// pieces within it.
func Start(ctx context.Context, name string) (context.Context, Span) {
	w := watchOf(ctx)
	if w.tracer != nil && !trace.SpanContextFromContext(ctx).IsSampled() {
		w.tracer = nil
	}
	return w.start(ctx, name, trace.SpanKindInternal)
}

// Root begins work that may be traced although it is no piece of other work: a request,
// or what this node does by itself.
func Root(ctx context.Context, name string) (context.Context, Span) {
	return watchOf(ctx).start(ctx, name, trace.SpanKindServer)
}

func (w watch) start(ctx context.Context, name string, kind trace.SpanKind) (context.Context, Span) {
	var s Span
	if w.timeline != nil {
		s = Span{timeline: w.timeline, name: name, begun: time.Now()}
	}
	if w.tracer != nil {
		ctx, s.traced = w.tracer.Start(ctx, name, trace.WithSpanKind(kind))
	}
	return ctx, s
}

// Set says more about the piece in its trace.
func (s Span) Set(name, value string) {
	if s.traced != nil {
		s.traced.SetAttributes(attribute.String(name, value))
	}
}

// SetInt is Set with a number.
func (s Span) SetInt(name string, value int) {
	if s.traced != nil {
		s.traced.SetAttributes(attribute.Int(name, value))
	}
}

// Fail says that the piece failed, if it did. Why stays out of traces: errors may quote
// what people search for.
func (s Span) Fail(err error) {
	if s.traced != nil && err != nil {
		s.traced.SetStatus(codes.Error, "")
	}
}

// End ends the piece.
func (s Span) End() {
	if s.timeline != nil {
		s.timeline.add(s.name, time.Since(s.begun))
	}
	if s.traced != nil {
		s.traced.End()
	}
}

// Header is the name under which the trace of a request travels, to other nodes and from
// clients.
const Header = "traceparent"

// carrier is one value of that name.
type carrier string

func (c *carrier) Get(name string) string {
	if name == Header {
		return string(*c)
	}
	return ""
}

func (c *carrier) Set(name, value string) {
	if name == Header {
		*c = carrier(value)
	}
}

func (c *carrier) Keys() []string { return []string{Header} }

// Leaving is what another node is told of the trace; "" without one.
func Leaving(ctx context.Context) string {
	if watchOf(ctx).tracer == nil || !trace.SpanContextFromContext(ctx).IsSampled() {
		return ""
	}
	var c carrier
	propagation.TraceContext{}.Inject(ctx, &c)
	return string(c)
}

// Arriving returns a context whose work belongs to the trace that was told; what is no
// trace changes nothing.
func Arriving(ctx context.Context, told string) context.Context {
	if told == "" || watchOf(ctx).tracer == nil {
		return ctx
	}
	c := carrier(told)
	return propagation.TraceContext{}.Extract(ctx, &c)
}

// TraceID names the trace that the work belongs to; "" when it belongs to none.
func TraceID(ctx context.Context) string {
	if c := trace.SpanContextFromContext(ctx); c.IsSampled() {
		return c.TraceID().String()
	}
	return ""
}
