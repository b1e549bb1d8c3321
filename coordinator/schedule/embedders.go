package schedule

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"

	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/coordinator/task"
)

// EmbedderProbe tries embedders of new settings.
type EmbedderProbe interface {
	// Probe returns the dimensions of an embedder, for which it may request a vector. Errors
	// for clients are *apierr.Error.
	Probe(ctx context.Context, e *settings.Embedder) (dimensions int, err error)
}

// probeEmbedders tries new and changed embedders. It records dimensions that it had to ask for
// in next, because all nodes must use the same ones.
func (p *docPlan) probeEmbedders(ctx context.Context, old, next *settings.Settings) error {
	known := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(next.Embedders)) {
		if raw, ok := old.Embedders[name]; ok && bytes.Equal(raw, next.Embedders[name]) {
			if d := old.EmbedderDimensions[name]; d > 0 {
				known[name] = d
			}
			continue
		}
		if p.cfg.Embedders == nil {
			continue
		}
		e, err := settings.ParseEmbedder(next.Embedders[name])
		if err != nil {
			return &batchFailure{task.Internal(err)}
		}
		d, err := p.cfg.Embedders.Probe(ctx, e)
		var refused *apierr.Error
		switch {
		case errors.As(err, &refused):
			return &batchFailure{task.FailureOf(apierr.InIndex(p.uid, refused))}
		case err != nil:
			return err
		case d > 0 && e.Dimensions != d:
			known[name] = d
		}
	}
	if len(known) == 0 {
		known = nil
	}
	next.EmbedderDimensions = known
	return nil
}
