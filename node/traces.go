package node

import (
	"context"

	"go.opentelemetry.io/otel/trace"

	"shoal/node/config"
	"shoal/node/observe"
	"shoal/wire/span"
)

// openTraces begins to send spans, when somebody wants them.
func (n *Node) openTraces(context.Context) error {
	if n.cfg.OTLPEndpoint == "" {
		return nil
	}
	t, err := observe.NewTraces(n.cfg.OTLPEndpoint, observe.Traced{ID: string(n.folder.ID), Name: n.cfg.Name, Release: config.Release}, n.log.With("component", "traces"))
	if err != nil {
		return err
	}
	n.traces = t
	n.opened("traces", t.Close)
	n.ctx = span.Traced(n.ctx, t.Tracer)
	return nil
}

// tracer makes spans; nil: nobody wants them.
func (n *Node) tracer() trace.Tracer {
	if n.traces == nil {
		return nil
	}
	return n.traces.Tracer
}
