package retry

import (
	"context"
	"math/rand/v2"
	"time"
)

// Policy says how failed calls of one kind are repeated. It must not be modified after its
// first use; from then on it is safe for concurrent use.
type Policy struct {
	// Times bounds the repetitions of one call.
	Times int
	// Longest is the longest pause before a repetition.
	Longest time.Duration
	// Sleep waits. It returns false if ctx ended first. nil means the real clock.
	Sleep func(ctx context.Context, d time.Duration) bool
}

// Failure describes a failed call to the policy.
type Failure struct {
	// Attempt counts the failures before this one.
	Attempt int
	// TooMany: the server refused because it had too many requests.
	TooMany bool
	// After is the pause that the server asks for, 0 if it names none.
	After time.Duration
}

// Wait waits until the call may be repeated. It returns false if it should not be: it was
// repeated often enough, the server asks for a longer pause than Longest, or ctx would end
// first.
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

// pause is 1 ms after the first failure, and ten times longer after each further one.
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

// jitter spreads the repetitions of many callers over the second half of the pause.
func jitter(d time.Duration) time.Duration {
	return d/2 + time.Duration(rand.Int64N(int64(d/2)+1))
}
