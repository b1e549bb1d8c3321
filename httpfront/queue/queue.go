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

// Queue admits searches (spec tasks-auth-ops-api 10.4). Config bounds how many run and how
// many wait. It picks the next of a client's waiting searches at random, and also the one
// to drop when the queue is full. Under overload some searches then get fast answers,
// instead of all getting late ones.
//
// Places are shared out between clients. The next place goes to the client with the fewest
// running searches. A client without a running search does not wait for the others. While a
// modest client searches, the greedy clients together leave one core free.
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

// waiter is one search in the queue. admitted receives exactly one value. since is when the
// search came and, after admission, when it began.
type waiter struct {
	admitted chan bool
	since    time.Time
	share    *share
}

// Config bounds the searches that run and wait.
type Config struct {
	// Running is how many searches run at once; 0 means 4 per core.
	Running int
	// Cores is how many cores searches may use; 0 means GOMAXPROCS.
	Cores int
	// Size is how many more may wait, 0 for none.
	Size int
	// Patience is how long a search may wait.
	Patience time.Duration
}

// New returns an empty queue. Safe for concurrent use.
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

// Enter waits for a permit. The caller must call its Leave once when the search is done.
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
		// Admitted at the same moment: pass the permit on.
		Permit{queue: q, share: w.share, since: w.since}.Leave()
		return Permit{}, ctx.Err()
	}
}

// join takes a free place or a place in the queue.
func (q *Queue) join(c Client) (Permit, *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	s := q.shareOf(c, now)
	s.update(now)
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

// shareOf returns the share of a client. It removes shares that are forgotten.
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

// admits tells whether one more search of the client may run now. The first search of a
// client runs even if all places are taken, up to twice their number.
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

// over tells whether greedy clients run more searches than they may while a modest client
// searches.
func (q *Queue) over(now time.Time) bool { return q.excess(now) > 0 }

// held tells whether greedy clients already run as many searches as they may while a modest
// client searches.
func (q *Queue) held(now time.Time) bool { return q.excess(now) >= 0 }

// excess is how many searches of greedy clients run beyond the number allowed while a
// modest client searches. A negative result means that there is room.
func (q *Queue) excess(now time.Time) int {
	modest, taken := false, 0
	for _, s := range q.clients {
		s.update(now)
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

// drop refuses a waiting search of the client that has the most.
func (q *Queue) drop() {
	var most *share
	for _, s := range q.clients {
		if most == nil || len(s.waiting) > len(most.waiting) {
			most = s
		}
	}
	q.take(most, rand.IntN(len(most.waiting))).admitted <- false
}

// take removes the waiter at i of a client. The order of waiters has no meaning.
func (q *Queue) take(s *share, i int) *waiter {
	w, last := s.waiting[i], len(s.waiting)-1
	s.waiting[i] = s.waiting[last]
	s.waiting[last] = nil
	s.waiting = s.waiting[:last]
	q.waiting--
	return w
}

// forget removes a waiter that gave up. It returns false if the waiter already has its
// answer.
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

// fill admits waiting searches as far as there is room and refuses those that waited too
// long.
func (q *Queue) fill(now time.Time) {
	for q.waiting > 0 {
		s := q.next(now)
		if s == nil {
			return
		}
		w := q.take(s, rand.IntN(len(s.waiting)))
		inTime := now.Sub(w.since) <= q.patience
		if inTime {
			s.update(now)
			s.begin(now)
			w.since = now
			q.running++
		}
		w.admitted <- inTime
	}
}

// next is the client whose turn it is: among those that may run another search, the one
// with the fewest running, chosen at random among equals. It is nil if none may.
func (q *Queue) next(now time.Time) (next *share) {
	held := q.held(now)
	for _, s := range q.clients {
		if len(s.waiting) > 0 && (next == nil || len(s.running) < len(next.running)) && q.free(s) && !(held && s.greedy(now)) {
			next = s
		}
	}
	return next
}

// Figures are the numbers for the metrics route.
func (q *Queue) Figures() (running, waiting, capacity int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running, q.waiting, q.capacity
}
