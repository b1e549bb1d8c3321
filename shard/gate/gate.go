package gate

import (
	"context"
	"sync/atomic"
	"time"
)

// Gate makes background work yield to searches. Safe for concurrent use; the zero value
// is ready. Searches take no lock: background work polls. With a lock, searches waited
// for a builder that the system had preempted while it held the lock.
type Gate struct {
	running atomic.Int64
	// left is when the last step ended, in nanoseconds since begun.
	left atomic.Int64
}

// begun is the zero point of the times of gates.
var begun = time.Now()

// Enter counts a running step of a search. The caller must call Leave.
func (g *Gate) Enter() { g.running.Add(1) }

// Leave ends a step that Enter counted.
func (g *Gate) Leave() {
	g.left.Store(int64(time.Since(begun)))
	g.running.Add(-1)
}

// busy reports whether a search runs. The short pause between two steps of a search
// counts as running.
func (g *Gate) busy() bool {
	return g.running.Load() > 0 || g.left.Load() > 0 && time.Since(begun)-time.Duration(g.left.Load()) < betweenSteps
}

const (
	// workSlice is how long background work runs before it checks for searches. It then
	// waits at most yieldFactor times as long as it worked, so it always gets a fifth
	// of the time.
	workSlice, yieldFactor = 500 * time.Microsecond, 4
	// betweenSteps is the pause between two steps that still counts as searching.
	// lookEvery is the polling interval of waiting work.
	betweenSteps, lookEvery = time.Millisecond, 500 * time.Microsecond
)

// Pacer returns a function for one background goroutine, which calls it several times
// per workSlice. The function waits while searches run. It ends early with the error of
// ctx.
func (g *Gate) Pacer() func(ctx context.Context) error {
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
		err := g.Wait(ctx, now.Add(yieldFactor*min(worked, 4*workSlice)))
		since = time.Now()
		return err
	}
}

// Wait returns when no search runs, or at until.
func (g *Gate) Wait(ctx context.Context, until time.Time) error {
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

// Patience is Pacer for work that cannot be canceled.
func (g *Gate) Patience() func() {
	pace := g.Pacer()
	return func() { _ = pace(context.Background()) } // never canceled
}
