package admin

import (
	"context"

	"shoal/api"
	"shoal/coordinator"
)

// Features holds the experimental features: what clients switched on, and what
// the options of this node force. Safe for concurrent use.
type Features struct {
	stored sharedValue[api.Features]
	forced api.Features
}

// NewFeatures returns the features of the cluster. forced are those that start
// options switch on for good; a forced LegacySearch is only the default.
func NewFeatures(log coordinator.Log, forced api.Features) *Features {
	legacy := forced.LegacySearch
	forced.LegacySearch = false
	return &Features{forced: forced, stored: sharedValue[api.Features]{
		log: log, name: "features", fresh: func() *api.Features { return &api.Features{LegacySearch: legacy} },
	}}
}

// Features returns what is in force now. It does not block.
func (f *Features) Features() api.Features { return f.force(*f.stored.get()) }

func (f *Features) force(on api.Features) api.Features {
	yes := true
	var p api.FeaturesPatch
	if f.forced.Metrics {
		p.Metrics = &yes
	}
	if f.forced.LogsRoute {
		p.LogsRoute = &yes
	}
	if f.forced.ContainsFilter {
		p.ContainsFilter = &yes
	}
	return on.Apply(&p)
}

// UpdateFeatures lays the patch over the stored features.
func (f *Features) UpdateFeatures(ctx context.Context, p *api.FeaturesPatch) (api.Features, error) {
	next, err := f.stored.change(ctx, func(old *api.Features) (*api.Features, error) {
		patched := old.Apply(p)
		return &patched, nil
	})
	if err != nil {
		return api.Features{}, err
	}
	return f.force(*next), nil
}
