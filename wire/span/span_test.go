package span

import (
	"context"
	"errors"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

func TestATraceContinuesOnAnotherNode(t *testing.T) {
	here, there := tracetest.NewInMemoryExporter(), tracetest.NewInMemoryExporter()
	tracer := func(e sdktrace.SpanExporter) *sdktrace.TracerProvider {
		return sdktrace.NewTracerProvider(sdktrace.WithSyncer(e))
	}
	ctx := Traced(context.Background(), tracer(here).Tracer("a"))
	if _, s := Start(ctx, "nobody began this"); s.traced != nil || Leaving(ctx) != "" || TraceID(ctx) != "" {
		t.Error("a piece outside of any trace is in one")
	}
	ctx, root := Root(ctx, "request")
	ctx, piece := Start(ctx, "open")
	piece.Set("shoal.node", "b")

	far := Arriving(Traced(context.Background(), tracer(there).Tracer("b")), Leaving(ctx))
	if TraceID(far) != TraceID(ctx) || TraceID(ctx) == "" {
		t.Errorf("%s became %s", TraceID(ctx), TraceID(far))
	}
	_, step := Start(far, "step")
	step.Fail(errors.New("a query that somebody typed"))
	step.End()
	piece.End()
	root.End()

	near, away := here.GetSpans(), there.GetSpans()
	if len(near) != 2 || len(away) != 1 || away[0].Parent.SpanID() != near[0].SpanContext.SpanID() || near[0].Parent.SpanID() != near[1].SpanContext.SpanID() {
		t.Errorf("%+v %+v", near, away)
	}
	if s := away[0].Status; s.Code.String() != "Error" || s.Description != "" || len(away[0].Events) != 0 {
		t.Errorf("a failed piece tells %+v, %+v", s, away[0].Events)
	}
	for _, told := range []string{"", "nonsense", "00-00000000000000000000000000000000-0000000000000000-01"} {
		if id := TraceID(Arriving(Traced(context.Background(), tracer(there).Tracer("b")), told)); id != "" {
			t.Errorf("%q is the trace %s", told, id)
		}
	}
	if Leaving(context.Background()) != "" || Arriving(context.Background(), Leaving(ctx)) != context.Background() {
		t.Error("a node without a tracer takes part")
	}
}
