package node

import (
	"context"

	"go.opentelemetry.io/otel/trace"

	"shoal/node/config"
	"shoal/node/observe"
	"shoal/wire/span"
)

// openTraces starts sending spans if a collector is configured.
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

// tracer makes spans. It is nil if no collector is configured.
func (n *Node) tracer() trace.Tracer {
	if n.traces == nil {
		return nil
	}
	return n.traces.Tracer
}
