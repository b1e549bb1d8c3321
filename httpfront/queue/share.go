package queue

import (
	"math"
	"slices"
	"time"
)

// Client identifies who searches: a key at an address. Clients behind one proxy with the
// same key count as one.
type Client struct{ Key, Host string }

// share is one client's part of the search queue. demand and length are decaying means: of
// the number of its searches that run or wait, and of the duration of one.
type share struct {
	client Client
	// running are the start times of the running searches.
	running []time.Time
	waiting []*waiter
	// ended counts ended searches up to known.
	ended  int
	demand float64
	length time.Duration
	// at is when demand was last updated, last when the latest search came in.
	at, last time.Time
}

const (
	// memory is the time constant of demand.
	memory = 2 * time.Second
	// A client is greedy if it searches all the time and its searches are long. Many short
	// searches need only their turns.
	busy       = 0.7
	longSearch = 50 * time.Millisecond
	// known is how many ended searches it takes to judge a client. Before that, it runs one
	// search at a time.
	known = 4
	// modestFor is how long after its search a client that is not greedy still holds back
	// the greedy ones.
	modestFor = 2 * time.Second
)

// update brings demand up to date.
func (s *share) update(now time.Time) {
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

// greedy tells whether the client takes more than its part.
func (s *share) greedy(now time.Time) bool {
	length := s.length
	for _, since := range s.running {
		length = max(length, now.Sub(since))
	}
	return s.demand > busy && length > longSearch
}

// unknown tells that too few searches have ended to judge the client.
func (s *share) unknown() bool { return s.ended < known }

// forgotten tells that the share holds no information any more.
func (s *share) forgotten(now time.Time) bool {
	return len(s.running) == 0 && len(s.waiting) == 0 && now.Sub(s.last) > 5*memory
}
