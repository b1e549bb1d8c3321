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

// Held tells whether this is a permit. The zero value is not.
func (p Permit) Held() bool { return p.queue != nil }

// Leave gives the place to a waiting search.
func (p Permit) Leave() {
	if p.Ended != nil {
		p.Ended()
	}
	q := p.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	p.share.update(now)
	p.share.end(p.since, now)
	q.running--
	q.fill(now)
}

// Turn passes the permit of a client with many searches on while a client with few searches
// waits, and waits for another permit. It is called between the parts of a long search.
func (p *Permit) Turn(ctx context.Context) (err error) {
	q := p.queue
	q.mu.Lock()
	now := q.now()
	p.share.update(now)
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
