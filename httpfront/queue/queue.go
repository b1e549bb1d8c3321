package queue

import (
	"cmp"
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"shoal/api/apierr"
)

// Queue admits searches (spec tasks-auth-ops-api 10.4): a number of them run,
// a number wait. Which of a client's waiting searches runs next, and which is dropped
// when the queue is full, is random, so that under overload some get fast answers
// instead of all getting late ones.
//
// Clients come before searches: the next place is that of the client with the fewest
// running; a client that has none running does not wait for the others; and as long as
// a modest client searches, the greedy ones together leave a core free.
type Queue struct {
	mu       sync.Mutex
	running  int
	waiting  int
	clients  map[Client]*share
	parallel int
	cores    int
	swept    time.Time
	capacity int
	patience time.Duration
	now      func() time.Time
}

// waiter is one search in the queue; admitted receives exactly one value. since is when
// it came, once it is admitted when it began.
type waiter struct {
	admitted chan bool
	since    time.Time
	share    *share
}

// Config says how many searches run and wait.
type Config struct {
	// Running is how many run at once; 0 = 4 per core.
	Running int
	// Cores are those that searches may use; 0 = GOMAXPROCS.
	Cores int
	// Size is how many more may wait, 0 for none.
	Size int
	// Patience is how long one may wait.
	Patience time.Duration
}

// New returns a queue in which nobody waits. Safe for concurrent use.
func New(cfg Config) *Queue {
	q := &Queue{
		parallel: cfg.Running, capacity: cfg.Size, patience: cfg.Patience, cores: cmp.Or(cfg.Cores, runtime.GOMAXPROCS(0)),
		clients: map[Client]*share{}, now: time.Now,
	}
	if q.parallel <= 0 {
		q.parallel = 4 * q.cores
	}
	return q
}

// Enter waits for a permit. Its Leave must be called once when the search is done.
func (q *Queue) Enter(ctx context.Context, c Client) (p Permit, err error) {
	p, w := q.join(c)
	if w == nil {
		return p, nil
	}
	select {
	case ok := <-w.admitted:
		if !ok {
			return Permit{}, apierr.TooManySearchRequests(q.capacity)
		}
		return Permit{queue: q, share: w.share, since: w.since}, nil
	case <-ctx.Done():
		if q.forget(w) || !<-w.admitted {
			return Permit{}, ctx.Err()
		}
		// Admitted at the same moment: hand the permit on.
		Permit{queue: q, share: w.share, since: w.since}.Leave()
		return Permit{}, ctx.Err()
	}
}

// join takes a free slot or a place in the queue.
func (q *Queue) join(c Client) (Permit, *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	s := q.shareOf(c, now)
	s.settle(now)
	s.last = now
	if q.admits(s, now) {
		s.begin(now)
		q.running++
		return Permit{queue: q, share: s, since: now}, nil
	}
	w := &waiter{admitted: make(chan bool, 1), since: now, share: s}
	if q.capacity <= 0 {
		w.admitted <- false
		return Permit{}, w
	}
	if q.waiting >= q.capacity {
		q.drop()
	}
	s.waiting = append(s.waiting, w)
	q.waiting++
	return Permit{}, w
}

// shareOf is the share of a client; those that are forgotten make room.
func (q *Queue) shareOf(c Client, now time.Time) *share {
	s := q.clients[c]
	if s == nil {
		if now.Sub(q.swept) > time.Second {
			q.swept = now
			for c, s := range q.clients {
				if s.forgotten(now) {
					delete(q.clients, c)
				}
			}
		}
		s = &share{client: c, at: now}
		q.clients[c] = s
	}
	return s
}

// admits tells whether one more search of the client may run now. The first one of a
// client runs although all places are taken, as long as there are not twice as many.
func (q *Queue) admits(s *share, now time.Time) bool {
	return q.free(s) && (len(q.clients) == 1 || !s.greedy(now) || !q.held(now))
}

func (q *Queue) free(s *share) bool {
	limit := q.parallel
	others := len(q.clients) > 1
	if len(s.running) == 0 && others {
		limit *= 2
	}
	return q.running < limit && !(others && len(s.running) > 0 && s.unknown())
}

// over tells whether the greedy clients have more than that.
func (q *Queue) over(now time.Time) bool { return q.excess(now) > 0 }

// held tells whether the greedy clients have what they may have while a modest one
// searches.
func (q *Queue) held(now time.Time) bool { return q.excess(now) >= 0 }

// excess is how many searches of greedy clients run beyond those that may while a modest
// one searches; below 0 there is room.
func (q *Queue) excess(now time.Time) int {
	modest, taken := false, 0
	for _, s := range q.clients {
		s.settle(now)
		switch {
		case s.greedy(now):
			taken += len(s.running)
		case now.Sub(s.last) < modestFor:
			modest = true
		}
	}
	if !modest {
		return -1
	}
	return taken - max(1, q.cores-1)
}

// drop refuses one of the client with most searches in the queue.
func (q *Queue) drop() {
	var most *share
	for _, s := range q.clients {
		if most == nil || len(s.waiting) > len(most.waiting) {
			most = s
		}
	}
	q.take(most, rand.IntN(len(most.waiting))).admitted <- false
}

// take removes the waiter at i of a client; the order of the queue means nothing.
func (q *Queue) take(s *share, i int) *waiter {
	w, last := s.waiting[i], len(s.waiting)-1
	s.waiting[i] = s.waiting[last]
	s.waiting[last] = nil
	s.waiting = s.waiting[:last]
	q.waiting--
	return w
}

// forget removes a waiter that gave up, unless it was answered already.
func (q *Queue) forget(w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range w.share.waiting {
		if w.share.waiting[i] == w {
			q.take(w.share, i)
			return true
		}
	}
	return false
}

// fill lets those run who wait and may; one that waited too long is refused.
func (q *Queue) fill(now time.Time) {
	for q.waiting > 0 {
		s := q.next(now)
		if s == nil {
			return
		}
		w := q.take(s, rand.IntN(len(s.waiting)))
		inTime := now.Sub(w.since) <= q.patience
		if inTime {
			s.settle(now)
			s.begin(now)
			w.since = now
			q.running++
		}
		w.admitted <- inTime
	}
}

// next is the client whose turn it is: of those that may run one more, the one with the
// fewest running, by chance among equals. nil when none may.
func (q *Queue) next(now time.Time) (next *share) {
	held := q.held(now)
	for _, s := range q.clients {
		if len(s.waiting) > 0 && (next == nil || len(s.running) < len(next.running)) && q.free(s) && !(held && s.greedy(now)) {
			next = s
		}
	}
	return next
}

// Figures are the numbers the metrics route shows.
func (q *Queue) Figures() (running, waiting, capacity int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running, q.waiting, q.capacity
}
