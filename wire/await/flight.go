package await

import (
	"context"
	"sync"
)

// Flight lets concurrent callers share costly work: one of them does it, and the others
// take its result. The zero value is ready. K tells pieces of work apart.
type Flight[K comparable, V any] struct {
	mu   sync.Mutex
	work map[K]*work[V]
}

// work is in progress until done is closed. Then either its result is set, or its owner
// gave up.
type work[V any] struct {
	done   chan struct{}
	gaveUp bool
	value  V
	err    error
}

// Do returns the result of do, or that of a concurrent call with the same key. Waiting
// ends with ctx. If do fails after the context of its caller has ended, one of the other
// callers does the work. do runs in the goroutine of its caller, so it may use what only
// that caller holds. It looks first whether the work is still to be done: another call may
// have ended just before.
func (f *Flight[K, V]) Do(ctx context.Context, key K, do func() (V, error)) (V, error) {
	for {
		f.mu.Lock()
		w, ok := f.work[key]
		if !ok {
			w = &work[V]{done: make(chan struct{}), gaveUp: true}
			if f.work == nil {
				f.work = make(map[K]*work[V])
			}
			f.work[key] = w
			f.mu.Unlock()
			return f.own(ctx, key, w, do)
		}
		f.mu.Unlock()
		select {
		case <-ctx.Done():
			var none V
			return none, ctx.Err()
		case <-w.done:
		}
		if !w.gaveUp {
			return w.value, w.err
		}
	}
}

// own does the work. Its owner has given up if do panics, too.
func (f *Flight[K, V]) own(ctx context.Context, key K, w *work[V], do func() (V, error)) (V, error) {
	defer func() {
		f.mu.Lock()
		delete(f.work, key)
		f.mu.Unlock()
		close(w.done)
	}()
	w.value, w.err = do()
	w.gaveUp = w.err != nil && ctx.Err() != nil
	return w.value, w.err
}
