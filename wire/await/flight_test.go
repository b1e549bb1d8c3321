package await

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// landing is the result of one call.
type landing struct {
	value int
	err   error
}

// calls counts the work of a flight, which waits for release.
type calls struct {
	flight  Flight[string, int]
	made    int
	release chan landing
}

// call calls Do in the background. Its work ends early with its context.
func (c *calls) call(ctx context.Context) <-chan landing {
	result := make(chan landing, 1)
	go func() {
		value, err := c.flight.Do(ctx, "key", func() (int, error) {
			c.made++
			select {
			case l := <-c.release:
				return l.value, l.err
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		})
		result <- landing{value, err}
	}()
	synctest.Wait()
	return result
}

func TestConcurrentCallersShareOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fault := errors.New("a fault")
		for _, want := range []landing{{7, nil}, {0, fault}} {
			c := calls{release: make(chan landing)}
			results := []<-chan landing{c.call(t.Context()), c.call(t.Context()), c.call(t.Context())}
			c.release <- want
			for _, r := range results {
				if got := <-r; got != want {
					t.Errorf("%v, want %v", got, want)
				}
			}
			if c.made != 1 {
				t.Errorf("%d calls", c.made)
			}
		}
	})
}

func TestAWaitingCallerLeavesWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := calls{release: make(chan landing)}
		first := c.call(t.Context())
		ctx, cancel := context.WithCancel(t.Context())
		second := c.call(ctx)
		cancel()
		if got := <-second; !errors.Is(got.err, context.Canceled) {
			t.Error(got)
		}
		c.release <- landing{value: 7}
		if got := <-first; got.value != 7 || got.err != nil {
			t.Error(got)
		}
	})
}

func TestACancelledCallerFailsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := calls{release: make(chan landing)}
		ctx, cancel := context.WithCancel(t.Context())
		first, second, third := c.call(ctx), c.call(t.Context()), c.call(t.Context())
		cancel()
		if got := <-first; !errors.Is(got.err, context.Canceled) {
			t.Error(got)
		}
		synctest.Wait() // one does the work, the other waits
		c.release <- landing{value: 7}
		for _, r := range []<-chan landing{second, third} {
			if got := <-r; got.value != 7 || got.err != nil {
				t.Error(got)
			}
		}
		if c.made != 2 {
			t.Errorf("%d calls", c.made)
		}
	})
}

func TestACallThatPanicsLeavesTheWorkToOthers(t *testing.T) {
	var f Flight[string, int]
	func() {
		defer func() { _ = recover() }()
		_, _ = f.Do(t.Context(), "key", func() (int, error) { panic("a fault") })
	}()
	if got, err := f.Do(t.Context(), "key", func() (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Error(got, err)
	}
}
