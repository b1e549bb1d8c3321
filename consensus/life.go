package consensus

import (
	"context"
	"sync"
)

// lifetime owns the goroutines of a group, and the calls under way. It is safe for
// concurrent use.
type lifetime struct {
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	work   sync.WaitGroup // every goroutine and every call under way

	mu      sync.RWMutex
	closing bool
}

func newLifetime() *lifetime {
	l := new(lifetime)
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// begin runs a goroutine that Close waits for.
func (l *lifetime) begin(f func()) { l.work.Go(f) }

// enter registers a call. It returns false once the group is closing; otherwise the caller
// must call work.Done.
func (l *lifetime) enter() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if !l.closing {
		l.work.Add(1)
	}
	return !l.closing
}

// refuse lets no call enter any more. It returns false if it was called before.
func (l *lifetime) refuse() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	already := l.closing
	l.closing = true
	return !already
}
