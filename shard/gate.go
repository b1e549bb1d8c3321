package shard

import (
	"context"
	"sync/atomic"
	"time"
)

// gate lets work in the background yield to searches. Safe for concurrent use; the
// zero value is ready. A search takes no lock for it and wakes nobody: whoever works in
// the background looks again and again. (With a lock, searches waited for a builder that
// the system had stopped while it held that lock.)
type gate struct {
	running atomic.Int64
	// left is when the last step ended, in nanoseconds since begun.
	left atomic.Int64
}

// begun is what times of gates count from.
var begun = time.Now()

// enter counts a step of a search; leave must follow.
func (g *gate) enter() { g.running.Add(1) }

func (g *gate) leave() {
	g.left.Store(int64(time.Since(begun)))
	g.running.Add(-1)
}

// busy tells whether some search runs: between two of its steps one does, too.
func (g *gate) busy() bool {
	return g.running.Load() > 0 || g.left.Load() > 0 && time.Since(begun)-time.Duration(g.left.Load()) < betweenSteps
}

const (
	// workSlice is how long work in the background goes on before it looks whether
	// searches run, and yieldFactor how many times as long it waits for them at most: it
	// keeps a fifth of the time whatever happens.
	workSlice, yieldFactor = 500 * time.Microsecond, 4
	// betweenSteps is how long a search may be busy with something else after a step,
	// lookEvery how often work that waits looks again.
	betweenSteps, lookEvery = time.Millisecond, 500 * time.Microsecond
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
		if err := ctx.Err(); err != nil || !g.busy() {
			return err
		}
		err := g.wait(ctx, now.Add(yieldFactor*min(worked, 4*workSlice)))
		since = time.Now()
		return err
	}
}

// wait returns when no search runs, or at a time.
func (g *gate) wait(ctx context.Context, until time.Time) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for g.busy() && time.Now().Before(until) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// patience is pacer for work that cannot be ended early.
func (g *gate) patience() func() {
	pace := g.pacer()
	return func() { _ = pace(context.Background()) } // which never ends
}
