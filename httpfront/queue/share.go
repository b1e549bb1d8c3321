package queue

import (
	"math"
	"slices"
	"time"
)

// Client is who searches: a key from an address. Clients behind one proxy that use one
// key are one.
type Client struct{ Key, Host string }

// share is what one client has of the search queue. demand and length are means that
// forget: of how many of its searches ran or waited at a time, and of how long one ran.
type share struct {
	client Client
	// running are the beginnings of the searches that run.
	running []time.Time
	waiting []*waiter
	// ended is how many searches have ended, as far as that matters.
	ended  int
	demand float64
	length time.Duration
	// at is when demand was brought up to date, last when a search came in.
	at, last time.Time
}

const (
	// memory is how long demand remembers.
	memory = 2 * time.Second
	// A client is greedy when it searches all the time and its searches run long. Many
	// short ones need nothing but their turns.
	busy       = 0.7
	longSearch = 50 * time.Millisecond
	// known is after how many searches a client is known: before, it has one at a time.
	known = 4
	// modestFor is how long a client that is not greedy keeps the others back after a
	// search of its own.
	modestFor = 2 * time.Second
)

// settle brings demand up to date.
func (s *share) settle(now time.Time) {
	if passed := now.Sub(s.at); passed > 0 {
		old := math.Exp(-float64(passed) / float64(memory))
		s.demand = s.demand*old + float64(len(s.running)+len(s.waiting))*(1-old)
	}
	s.at = now
}

// begin counts a search that runs from now on.
func (s *share) begin(now time.Time) { s.running = append(s.running, now) }

// end counts a search that has ended.
func (s *share) end(since, now time.Time) {
	i := slices.Index(s.running, since)
	s.running = slices.Delete(s.running, i, i+1)
	s.length += (now.Sub(since) - s.length) / 4
	s.ended = min(s.ended+1, known)
}

// greedy tells whether the client takes more than others do.
func (s *share) greedy(now time.Time) bool {
	length := s.length
	for _, since := range s.running {
		length = max(length, now.Sub(since))
	}
	return s.demand > busy && length > longSearch
}

// unknown tells that there is nothing to judge the client by yet.
func (s *share) unknown() bool { return s.ended < known }

// forgotten tells that nothing is left to remember.
func (s *share) forgotten(now time.Time) bool {
	return len(s.running) == 0 && len(s.waiting) == 0 && now.Sub(s.last) > 5*memory
}
