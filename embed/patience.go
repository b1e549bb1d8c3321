package embed

import (
	"sync"
	"time"
)

const (
	// mostPatience is how long the only call of a small update goes on without any answer,
	// leastPatience how long the calls of a large update do.
	mostPatience  = 6 * time.Minute
	leastPatience = 30 * time.Second
)

// patience makes the calls of one update give up together, once the server has answered
// none of them for some time. That time is shorter the more calls there are, because a
// large update blocks its index for longer. Safe for concurrent use.
type patience struct {
	now  func() time.Time
	most time.Duration

	mu   sync.Mutex
	last time.Time // the last answer, or the start of all calls
}

// newPatience returns the patience for that many calls.
func newPatience(calls int, now func() time.Time) *patience {
	return &patience{now: now, most: max(mostPatience/time.Duration(max(calls, 1)), leastPatience), last: now()}
}

// served records that a call was answered.
func (p *patience) served() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = p.now()
}

// lost tells whether it is time to give up.
func (p *patience) lost() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now().Sub(p.last) >= p.most
}
