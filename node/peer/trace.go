package peer

import (
	"context"

	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/metadata"

	"shoal/wire/span"
)

// carrying returns a context whose calls tell the trace that they belong to, if any.
func carrying(ctx context.Context) context.Context {
	if told := span.Leaving(ctx); told != "" {
		return metadata.AppendToOutgoingContext(ctx, span.Header, told)
	}
	return ctx
}

// Trace has the server make spans of calls that belong to a trace; nil makes none. It must
// be called before Serve.
func (s *Server) Trace(tracer trace.Tracer) { s.tracer = tracer }

// arrived returns the context of a call, in the trace that its caller told.
func (s *Server) arrived(ctx context.Context, method string) (context.Context, span.Span) {
	if s.tracer == nil {
		return ctx, span.Span{}
	}
	ctx = span.Traced(ctx, s.tracer)
	if told := metadata.ValueFromIncomingContext(ctx, span.Header); len(told) > 0 {
		ctx = span.Arriving(ctx, told[0])
	}
	return span.Start(ctx, "node "+method)
}
