package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	clustertest "shoal/cluster-test"
)

// silence is how long clients were kept waiting in one round.
type silence struct {
	writes, searches time.Duration // the longest time between two successes
	failed, asked    int           // searches
}

// observer writes on one node and searches on all of some nodes, without a pause.
type observer struct {
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu       sync.Mutex
	begin    time.Time // of what counts
	writes   gap
	searches []gap
	failed   int
	asked    int
}

// gap is the longest time between two successes since begin.
type gap struct {
	last    time.Time // success
	longest time.Duration
	some    bool // a success of something that began after begin
}

// observe begins to write and search; nodes are those that clients know.
func observe(ctx context.Context, l *lab, nodes []*clustertest.Node) *observer {
	ctx, cancel := context.WithCancel(ctx)
	o := &observer{cancel: cancel, searches: make([]gap, len(nodes))}
	o.work.Go(func() {
		for turn := 0; ctx.Err() == nil; turn++ {
			began := time.Now()
			one, stop := context.WithTimeout(ctx, 6*time.Second)
			err := l.write(one, nodes[turn%len(nodes)], 1)
			stop()
			o.note(&o.writes, began, err == nil)
			_ = wait(ctx, 5*time.Millisecond) // the loop sees the end
		}
	})
	for i, n := range nodes {
		o.work.Go(func() {
			for ctx.Err() == nil {
				began := time.Now()
				one, stop := context.WithTimeout(ctx, 6*time.Second)
				a, err := n.Ask(one, http.MethodPost, "/indexes/docs/search", map[string]any{"q": "document"})
				stop()
				ok := err == nil && a.Status == http.StatusOK
				o.note(&o.searches[i], began, ok)
				o.count(ctx, ok)
				_ = wait(ctx, 5*time.Millisecond)
			}
		})
	}
	return o
}

// note takes the end of a request into account.
func (o *observer) note(g *gap, began time.Time, ok bool) {
	if !ok {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	if !o.begin.IsZero() && now.After(o.begin) {
		if g.last.Before(o.begin) {
			g.last = o.begin
		}
		g.longest = max(g.longest, now.Sub(g.last))
		g.some = g.some || began.After(o.begin)
	}
	g.last = now
}

func (o *observer) count(ctx context.Context, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.begin.IsZero() || ctx.Err() != nil {
		return
	}
	o.asked++
	if !ok {
		o.failed++
	}
}

// from says from when on silence counts.
func (o *observer) from(begin time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.begin = begin
}

// recovered waits until a write and a search on every node have succeeded that began
// after the failure.
func (o *observer) recovered(ctx context.Context, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for !o.all() {
		if err := wait(ctx, 10*time.Millisecond); err != nil {
			return errors.Join(fmt.Errorf("clients still wait after %s", limit), err)
		}
	}
	return nil
}

func (o *observer) all() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	some := o.writes.some
	for _, g := range o.searches {
		some = some && g.some
	}
	return some
}

// end stops and tells what was seen.
func (o *observer) end() silence {
	o.cancel()
	o.work.Wait()
	s := silence{writes: o.writes.longest, failed: o.failed, asked: o.asked}
	for _, g := range o.searches {
		s.searches = max(s.searches, g.longest)
	}
	return s
}
