package queue

import (
	"context"
	"time"
)

// Permit is a place of a running search.
type Permit struct {
	queue *Queue
	share *share
	since time.Time
	// Ended, if set, tells that a search of a key with limits has ended.
	Ended func()
}

// Held tells whether it is a permit: the zero value is none.
func (p Permit) Held() bool { return p.queue != nil }

// Leave gives the slot back: to those who wait.
func (p Permit) Leave() {
	if p.Ended != nil {
		p.Ended()
	}
	q := p.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	p.share.settle(now)
	p.share.end(p.since, now)
	q.running--
	q.fill(now)
}

// Turn hands the permit of a greedy client on while a modest one searches, and waits
// for another one. It is called between the parts of a long search.
func (p *Permit) Turn(ctx context.Context) (err error) {
	q := p.queue
	q.mu.Lock()
	now := q.now()
	p.share.settle(now)
	give := p.share.greedy(now) && q.over(now)
	q.mu.Unlock()
	if !give {
		return nil
	}
	c := p.share.client
	p.Leave()
	*p, err = q.Enter(ctx, c)
	return err
}
