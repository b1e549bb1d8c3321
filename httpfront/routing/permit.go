package routing

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// permit is a place of a running search.
type permit struct {
	queue *searchQueue
	share *share
	since time.Time
	// ended, if set, tells that a search of a key with limits has ended.
	ended func()
}

// Leave gives the slot back: to those who wait.
func (p permit) Leave() {
	if p.ended != nil {
		p.ended()
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

// turn hands the permit of a greedy client on while a modest one searches, and waits
// for another one. It is called between the parts of a long search.
func (p *permit) turn(ctx context.Context) (err error) {
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
	*p, err = q.enter(ctx, c)
	return err
}

// Admit waits for a search permit, which the exchange holds until its answer is ready to
// be sent. It comes before the request is decoded, so that only those that run take
// memory.
func (x *Exchange) Admit() (err error) {
	if x.searchEnded, err = x.server.keys.search(x.Auth.Key); err != nil {
		return err
	}
	begun := time.Now()
	x.permit, err = x.server.queue.enter(x.Context(), x.client())
	x.Waited, x.searched = time.Since(begun), err == nil
	return err
}

// Enter waits for one more permit of the caller, besides that of the exchange: its
// leave must be called once.
func (x *Exchange) Enter(ctx context.Context) (permit, error) {
	ended, err := x.server.keys.search(x.Auth.Key)
	if err != nil {
		return permit{}, err
	}
	p, err := x.server.queue.enter(ctx, x.client())
	if err != nil {
		ended()
		return permit{}, err
	}
	p.ended = ended
	return p, nil
}

// Turn hands the permit of a greedy client on while a modest one searches, and waits
// for another one. It is called between the parts of a long search.
func (x *Exchange) Turn() error { return x.permit.turn(x.Context()) }

// depart gives the permit back, if there is one.
func (x *Exchange) depart() {
	if x.permit.queue != nil {
		x.permit.Leave()
		x.permit = permit{}
	}
}

// client names the client of a request.
func (x *Exchange) client() client {
	c := client{host: x.HTTP.RemoteAddr}
	if host, _, err := net.SplitHostPort(c.host); err == nil {
		c.host = host
	}
	// Who has one IPv6 address has 2^64 of them.
	if at, err := netip.ParseAddr(c.host); err == nil && at.Is6() && !at.Is4In6() {
		if net, err := at.WithZone("").Prefix(64); err == nil {
			c.host = net.String()
		}
	}
	if x.Auth.Key != nil {
		c.key = x.Auth.Key.UID
	}
	return c
}
