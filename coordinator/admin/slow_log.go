package admin

import (
	"context"

	"shoal/api"
	"shoal/coordinator"
)

// SlowLog holds which requests are logged as slow, by all nodes. Safe for concurrent use.
type SlowLog struct{ stored sharedValue[api.SlowLog] }

// NewSlowLog returns the slow log of the cluster.
func NewSlowLog(log coordinator.Log) *SlowLog {
	return &SlowLog{sharedValue[api.SlowLog]{log: log, name: "slowLog", fresh: func() *api.SlowLog { return new(api.SlowLog) }}}
}

// SlowLog returns what is in force now. It does not block.
func (s *SlowLog) SlowLog() api.SlowLog { return *s.stored.get() }

// UpdateSlowLog changes it on all nodes.
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
