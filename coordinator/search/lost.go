package search

import (
	"sync"
	"time"

	"shoal/api"
)

// lostTime is the time that the searches of one request spent on rankings that came to nothing.
// The next attempt has that much less. Safe for concurrent use; nil has lost nothing, the zero
// value is ready.
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
