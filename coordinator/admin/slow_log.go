package admin

import (
	"context"

	"shoal/api"
	"shoal/coordinator"
)

// SlowLog holds the cluster-wide settings of the slow log. Safe for concurrent use.
type SlowLog struct{ stored sharedValue[api.SlowLog] }

// NewSlowLog returns the slow log of the cluster.
func NewSlowLog(log coordinator.Log) *SlowLog {
	return &SlowLog{sharedValue[api.SlowLog]{log: log, name: "slowLog", fresh: func() *api.SlowLog { return new(api.SlowLog) }}}
}

// SlowLog returns the present settings. It does not block.
func (s *SlowLog) SlowLog() api.SlowLog { return *s.stored.get() }

// UpdateSlowLog changes the settings on all nodes.
func (s *SlowLog) UpdateSlowLog(ctx context.Context, p *api.SlowLogPatch) (api.SlowLog, error) {
	next, err := s.stored.change(ctx, func(old *api.SlowLog) (*api.SlowLog, error) {
		patched := old.Apply(p)
		return &patched, nil
	})
	if err != nil {
		return api.SlowLog{}, err
	}
	return *next, nil
}
