package hold

import "sync"

// Lock is a lock that is held while other nodes are asked. Who waits for it waits for a
// condition, as for other nodes: to a simulated clock a mutex looks like work. The zero
// value is free.
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

// Unlock gives it back.
func (h *Lock) Unlock() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.taken = false
	h.freed.Signal()
}
