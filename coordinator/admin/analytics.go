package admin

import (
	"context"

	"shoal/api"
	"shoal/coordinator"
)

// Analytics holds the cluster-wide settings of analytics. Safe for concurrent use.
type Analytics struct{ stored sharedValue[api.Analytics] }

// NewAnalytics returns the settings of the cluster.
func NewAnalytics(log coordinator.Log) *Analytics {
	return &Analytics{sharedValue[api.Analytics]{log: log, name: "analytics", fresh: func() *api.Analytics {
		fresh := api.DefaultAnalytics()
		return &fresh
	}}}
}

// Analytics returns the present settings. It does not block.
func (a *Analytics) Analytics() api.Analytics { return *a.stored.get() }

// UpdateAnalytics changes the settings on all nodes.
func (a *Analytics) UpdateAnalytics(ctx context.Context, p *api.AnalyticsPatch) (api.Analytics, error) {
	next, err := a.stored.change(ctx, func(old *api.Analytics) (*api.Analytics, error) {
		patched := old.Apply(p)
		return &patched, nil
	})
	if err != nil {
		return api.Analytics{}, err
	}
	return *next, nil
}
