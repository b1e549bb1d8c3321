package retry

import (
	"context"
	"math/rand/v2"
	"time"
)

// Policy says how failed calls of one kind are repeated. Not modified after its first
// use; safe for concurrent use then.
type Policy struct {
	// Times is how often one call is repeated at most.
	Times int
	// Longest is the longest pause before a repetition.
	Longest time.Duration
	// Sleep waits; it returns false when ctx ended first. nil waits by the clock.
	Sleep func(ctx context.Context, d time.Duration) bool
}

// Failure is what the policy needs to know of a failed call.
type Failure struct {
	// Attempt counts the failures before this one.
	Attempt int
	// TooMany tells that the server refused because it had too many requests.
	TooMany bool
	// After is how long the server asks to be left alone, 0 when it does not say.
	After time.Duration
}

// Wait waits until the call may be made again. It returns false when it should not
// be: it was repeated often enough, the server asks for a longer pause than Longest,
// or ctx ends before the pause does.
func (p *Policy) Wait(ctx context.Context, f Failure) bool {
	if f.Attempt >= p.Times || f.After > p.Longest {
		return false
	}
	pause := max(jitter(p.pause(f)), f.After)
	if p.Sleep != nil {
		return p.Sleep(ctx, pause)
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < pause {
		return false // the answer would come too late
	}
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// pause is 1 ms after the first failure, ten times more after each further one.
func (p *Policy) pause(f Failure) time.Duration {
	pause := time.Millisecond
	for range f.Attempt {
		pause = min(10*pause, p.Longest)
	}
	if f.TooMany {
		pause += 100 * time.Millisecond
	}
	return min(pause, p.Longest)
}

// jitter spreads the repetitions of many callers: between half of the pause and all
// of it.
func jitter(d time.Duration) time.Duration {
	return d/2 + time.Duration(rand.Int64N(int64(d/2)+1))
}
