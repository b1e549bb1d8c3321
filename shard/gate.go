package shard

import (
	"context"
	"sync"
	"time"
)

// gate lets work in the background yield to searches. Safe for concurrent use; the
// zero value is ready.
type gate struct {
	mu      sync.Mutex
	running int
	// idle is closed once no search runs any more; nil when none does.
	idle chan struct{}
}

// enter counts a search; leave must follow.
func (g *gate) enter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running++; g.running == 1 {
		g.idle = make(chan struct{})
	}
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running--; g.running == 0 {
		close(g.idle)
		g.idle = nil
	}
}

// busy returns a channel that is closed once no search runs, nil when none does.
func (g *gate) busy() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.idle
}

const (
	// workSlice is how long work in the background goes on before it looks whether
	// searches run, and yieldFactor how many times as long it waits for them at most: it
	// keeps a fifth of the time whatever happens.
	workSlice, yieldFactor = 500 * time.Microsecond, 4
)

// pacer returns what one goroutine of the background calls again and again, often
// within a slice: it waits while searches run. It ends early with the error of ctx.
func (g *gate) pacer() func(ctx context.Context) error {
	var since time.Time
	return func(ctx context.Context) error {
		now := time.Now()
		worked := now.Sub(since)
		if worked < workSlice {
			return nil
		}
		since = now
		if err := ctx.Err(); err != nil {
			return err
		}
		idle := g.busy()
		if idle == nil {
			return nil
		}
		timer := time.NewTimer(yieldFactor * min(worked, 4*workSlice))
		defer timer.Stop()
		select {
		case <-idle:
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		since = time.Now()
		return nil
	}
}

// patience is pacer for work that cannot be ended early.
func (g *gate) patience() func() {
	pace := g.pacer()
	return func() { _ = pace(context.Background()) } // which never ends
}
