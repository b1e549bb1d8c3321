package peer

import (
	"bytes"
	"context"

	"go.opentelemetry.io/otel/trace"

	"shoal/wire/span"
)

// Trace makes the server make spans of calls that belong to a trace; nil makes none. It
// must be called before Serve.
func (s *Server) Trace(tracer trace.Tracer) { s.tracer = tracer }

// opened splits the data that begins an exchange into a method and the trace of the caller,
// "" for none.
func opened(data []byte) (method, trace string) {
	name, told, _ := bytes.Cut(data, []byte{0})
	return string(name), string(told)
}

// arrived returns the context of a call, in the trace that its caller sent.
func (s *Server) arrived(ctx context.Context, method, trace string) (context.Context, span.Span) {
	if s.tracer == nil {
		return ctx, span.Span{}
	}
	ctx = span.Traced(ctx, s.tracer)
	if trace != "" {
		ctx = span.Arriving(ctx, trace)
	}
	return span.Start(ctx, "node "+method)
}
