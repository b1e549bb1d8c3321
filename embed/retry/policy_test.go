package retry

import (
	"context"
	"testing"
	"time"
)

func TestThePauseGrowsUpToTheLongestAndIsWhatTheServerAsksFor(t *testing.T) {
	var slept time.Duration
	p := Policy{Times: 3, Longest: time.Minute, Sleep: func(_ context.Context, d time.Duration) bool {
		slept = d
		return true
	}}
	for _, c := range []struct {
		name        string
		failure     Failure
		again       bool
		least, most time.Duration
	}{
		{"first", Failure{}, true, time.Millisecond / 2, time.Millisecond},
		{"third", Failure{Attempt: 2}, true, 50 * time.Millisecond, 100 * time.Millisecond},
		{"too many requests", Failure{TooMany: true}, true, 50 * time.Millisecond, 101 * time.Millisecond},
		{"asked for seconds", Failure{After: 7 * time.Second}, true, 7 * time.Second, 7 * time.Second},
		{"asked for less than the pause", Failure{Attempt: 2, After: time.Millisecond}, true, 50 * time.Millisecond, 100 * time.Millisecond},
		{"asked for the longest pause", Failure{After: time.Minute}, true, time.Minute, time.Minute},
		{"asked for an hour", Failure{After: time.Hour}, false, 0, 0},
		{"repeated often enough", Failure{Attempt: 3}, false, 0, 0},
	} {
		slept = 0
		if again := p.Wait(t.Context(), c.failure); again != c.again || slept < c.least || slept > c.most {
			t.Errorf("%s: again %v after %v", c.name, again, slept)
		}
	}
	p.Times, slept = 100, 0
	if p.Wait(t.Context(), Failure{Attempt: 99}); slept < time.Minute/2 || slept > time.Minute {
		t.Errorf("the hundredth pause is %v", slept)
	}
}

func TestAPauseThatEndsTooLateIsNotBegun(t *testing.T) {
	p := Policy{Times: 1, Longest: time.Hour}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if p.Wait(ctx, Failure{After: time.Hour}) {
		t.Error("it waited beyond the deadline")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if p.Wait(gone, Failure{After: time.Hour}) {
		t.Error("it waited for somebody who left")
	}
}
