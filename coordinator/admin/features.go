package admin

import (
	"context"

	"shoal/api/settings"
	"shoal/coordinator"
)

// Features holds the experimental features: those that clients enabled, and those that this
// node's options force. Safe for concurrent use.
type Features struct {
	stored sharedValue[settings.Features]
	forced settings.Features
}

// NewFeatures returns the features of the cluster. forced are those that start options always
// enable; a forced LegacySearch is only the default.
func NewFeatures(log coordinator.Log, forced settings.Features) *Features {
	legacy := forced.LegacySearch
	forced.LegacySearch = false
	return &Features{forced: forced, stored: sharedValue[settings.Features]{
		log: log, name: "features", fresh: func() *settings.Features { return &settings.Features{LegacySearch: legacy} },
	}}
}

// Features returns the enabled features. It does not block.
func (f *Features) Features() settings.Features { return f.force(*f.stored.get()) }

func (f *Features) force(on settings.Features) settings.Features {
	yes := true
	var p settings.FeaturesPatch
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

// UpdateFeatures applies the patch to the stored features.
func (f *Features) UpdateFeatures(ctx context.Context, p *settings.FeaturesPatch) (settings.Features, error) {
	next, err := f.stored.change(ctx, func(old *settings.Features) (*settings.Features, error) {
		patched := old.Apply(p)
		return &patched, nil
	})
	if err != nil {
		return settings.Features{}, err
	}
	return f.force(*next), nil
}
