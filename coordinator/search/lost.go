package search

import (
	"sync"
	"time"

	"shoal/api"
)

// lostTime is what the searches of one request have spent on rankings: an attempt that
// ranks them again has that much less. Safe for concurrent use; nil has lost
// nothing, the zero value is ready.
type lostTime struct {
	mu sync.Mutex
	by map[*api.SearchRequest]time.Duration
}

func (l *lostTime) add(r *api.SearchRequest, spent time.Duration) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.by == nil {
		l.by = make(map[*api.SearchRequest]time.Duration)
	}
	l.by[r] += spent
}

func (l *lostTime) of(r *api.SearchRequest) time.Duration {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.by[r]
}

// waited is how long the sources of a search have waited for the version of the index:
// they did so at the same time.
func waited(sources []*source) (most time.Duration) {
	for _, s := range sources {
		most = max(most, s.waited)
	}
	return most
}
