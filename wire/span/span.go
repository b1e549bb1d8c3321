package span

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// watch is the timeline and the tracer of a context; both may be nil.
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

// Watched returns a context whose spans are recorded in t.
func Watched(ctx context.Context, t *Timeline) context.Context {
	w := watchOf(ctx)
	w.timeline = t
	return context.WithValue(ctx, watchKey{}, &w)
}

// Traced returns a context whose root spans, and the spans below them, are recorded by the
// tracer. A nil tracer records nothing.
func Traced(ctx context.Context, tracer trace.Tracer) context.Context {
	if tracer == nil {
		return ctx
	}
	w := watchOf(ctx)
	w.tracer = tracer
	return context.WithValue(ctx, watchKey{}, &w)
}

// Span is a part of the work on a request. It belongs to its creator. The span of unwatched
// work does nothing.
type Span struct {
	timeline *Timeline
	name     string
	begun    time.Time
	traced   trace.Span // nil: not traced
}

// Start begins a span; End must be called once. The returned context is for spans within it.
func Start(ctx context.Context, name string) (context.Context, Span) {
	w := watchOf(ctx)
	if w.tracer != nil && !trace.SpanContextFromContext(ctx).IsSampled() {
		w.tracer = nil
	}
	return w.start(ctx, name, trace.SpanKindInternal)
}

// Root begins a span that may be traced although it has no parent: a request, or work that this
// node does on its own.
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

// Set adds an attribute to the traced span.
func (s Span) Set(name, value string) {
	if s.traced != nil {
		s.traced.SetAttributes(attribute.String(name, value))
	}
}

// SetInt is Set for a number.
func (s Span) SetInt(name string, value int) {
	if s.traced != nil {
		s.traced.SetAttributes(attribute.Int(name, value))
	}
}

// Fail marks the span as failed if err is not nil. The reason stays out of traces, because
// errors may quote what people search for.
func (s Span) Fail(err error) {
	if s.traced != nil && err != nil {
		s.traced.SetStatus(codes.Error, "")
	}
}

// End ends the span.
func (s Span) End() {
	if s.timeline != nil {
		s.timeline.add(s.name, time.Since(s.begun))
	}
	if s.traced != nil {
		s.traced.End()
	}
}

// Header is the name under which a trace is transferred, between nodes and from clients.
const Header = "traceparent"

// carrier is the value of Header.
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

// Leaving returns the trace in the form for another node; "" for none.
func Leaving(ctx context.Context) string {
	if watchOf(ctx).tracer == nil || !trace.SpanContextFromContext(ctx).IsSampled() {
		return ""
	}
	var c carrier
	propagation.TraceContext{}.Inject(ctx, &c)
	return string(c)
}

// Arriving returns a context whose work belongs to the trace told. It ignores a malformed one.
func Arriving(ctx context.Context, told string) context.Context {
	if told == "" || watchOf(ctx).tracer == nil {
		return ctx
	}
	c := carrier(told)
	return propagation.TraceContext{}.Extract(ctx, &c)
}

// TraceID returns the id of the trace that the work belongs to; "" for none.
func TraceID(ctx context.Context) string {
	if c := trace.SpanContextFromContext(ctx); c.IsSampled() {
		return c.TraceID().String()
	}
	return ""
}
