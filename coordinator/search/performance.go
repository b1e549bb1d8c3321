package search

import (
	"cmp"
	"context"
	"time"

	"shoal/api"
	"shoal/wire/span"
)

// Performance measures the steps of a search whose answer shows them
// (showPerformanceDetails). A nil one measures nothing.
type Performance struct {
	begun    time.Time
	timeline *span.Timeline
}

// Measure returns a context in which the steps of a search are measured, if they are wanted.
func Measure(ctx context.Context, wanted bool) (context.Context, *Performance) {
	if !wanted {
		return ctx, nil
	}
	p := &Performance{begun: time.Now()}
	ctx, p.timeline = span.Within(ctx)
	return ctx, p
}

// stepNames are the names that clients know some of our steps by (spec search-api 4.6). The
// shards find the facet statistics while they count the distribution: both are one step.
var stepNames = map[string]string{
	"facets": "facet distribution and stats",
	"embed":  "embed query",
	"render": "format",
}

// Steps returns what was measured, each name below that of the whole, which comes last.
func (p *Performance) Steps(whole string) []api.PerformanceStep {
	if p == nil {
		return nil
	}
	var out []api.PerformanceStep
	for _, s := range p.timeline.Steps() {
		out = append(out, api.PerformanceStep{Name: whole + " > " + cmp.Or(stepNames[s.Name], s.Name), Nanos: int64(s.Took)})
	}
	return append(out, api.PerformanceStep{Name: whole, Nanos: int64(time.Since(p.begun))})
}
