package await

import "sync"

// Signal wakes all goroutines that wait for the next event. Make it with NewSignal.
type Signal struct {
	mu sync.Mutex
	ch chan struct{}
}

// NewSignal returns a signal without any event yet.
func NewSignal() *Signal { return &Signal{ch: make(chan struct{})} }

// Next returns a channel that is closed at the next event.
func (b *Signal) Next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ch
}

// Fire is the next event.
func (b *Signal) Fire() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.ch)
	b.ch = make(chan struct{})
}
