package await

import "sync"

// Lock may be held while other nodes are asked. Its waiters wait on a condition variable,
// because a simulated clock mistakes waiting for a mutex for work. The zero value is free.
type Lock struct {
	mu    sync.Mutex
	freed *sync.Cond
	taken bool
}

// Lock waits until the lock is free and takes it.
func (h *Lock) Lock() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.freed == nil {
		h.freed = sync.NewCond(&h.mu)
	}
	for h.taken {
		h.freed.Wait()
	}
	h.taken = true
}

// Unlock releases the lock and wakes one waiter.
func (h *Lock) Unlock() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.taken = false
	h.freed.Signal()
}
