package httpfront

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"shoal/api"
)

// searchQueue admits searches (spec tasks-auth-ops 10.4): a number of them run,
// a number wait. Which of the waiting runs next, and which is dropped when the
// queue is full, is random, so that under overload some clients get fast answers
// instead of all getting late ones.
type searchQueue struct {
	mu       sync.Mutex
	running  int
	waiting  []*waiter
	parallel int
	capacity int
	patience time.Duration
}

// waiter is one search in the queue; admitted receives exactly one value.
type waiter struct {
	admitted chan bool
	since    time.Time
}

func newSearchQueue(cfg Config) *searchQueue {
	q := &searchQueue{parallel: cfg.SearchesRunning, capacity: 1000, patience: cfg.DropSearchAfter}
	if q.parallel <= 0 {
		q.parallel = 4 * runtime.GOMAXPROCS(0)
	}
	if cfg.SearchQueueSize != nil {
		q.capacity = *cfg.SearchQueueSize
	}
	return q
}

// enter waits for a permit. leave must be called once when the search is done.
func (q *searchQueue) enter(ctx context.Context) (leave func(), err error) {
	w := q.join()
	if w == nil {
		return q.leave, nil
	}
	select {
	case ok := <-w.admitted:
		if !ok {
			return nil, api.TooManySearchRequests(q.capacity)
		}
		return q.leave, nil
	case <-ctx.Done():
		if q.forget(w) || !<-w.admitted {
			return nil, ctx.Err()
		}
		// Admitted at the same moment: hand the permit on.
		q.leave()
		return nil, ctx.Err()
	}
}

// join takes a free slot (nil) or a place in the queue.
func (q *searchQueue) join() *waiter {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running < q.parallel {
		q.running++
		return nil
	}
	w := &waiter{admitted: make(chan bool, 1), since: time.Now()}
	if q.capacity <= 0 {
		w.admitted <- false
		return w
	}
	if len(q.waiting) >= q.capacity {
		q.take(rand.IntN(len(q.waiting))).admitted <- false
	}
	q.waiting = append(q.waiting, w)
	return w
}

// take removes the waiter at i; the order of the queue means nothing.
func (q *searchQueue) take(i int) *waiter {
	w, last := q.waiting[i], len(q.waiting)-1
	q.waiting[i] = q.waiting[last]
	q.waiting[last] = nil
	q.waiting = q.waiting[:last]
	return w
}

// forget removes a waiter that gave up, unless it was answered already.
func (q *searchQueue) forget(w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.waiting {
		if q.waiting[i] == w {
			q.take(i)
			return true
		}
	}
	return false
}

// leave gives the slot to a random waiter; one that waited too long is refused.
func (q *searchQueue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) > 0 {
		w := q.take(rand.IntN(len(q.waiting)))
		inTime := time.Since(w.since) <= q.patience
		w.admitted <- inTime
		if inTime {
			return
		}
	}
	q.running--
}

// figures are the numbers the metrics route shows.
func (q *searchQueue) figures() (running, waiting, capacity int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running, len(q.waiting), q.capacity
}
