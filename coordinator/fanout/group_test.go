package fanout

import (
	"context"
	"errors"
	"strings"
	"testing"

	"shoal/api/apierr"
	"shoal/wire"
)

func refusal(message string, place int) error {
	return apierr.New(apierr.CodeInvalidSearchFilter, message).At(place)
}

// run lets calls end in a given order: each waits for the one before it.
func run(g *Group, errs []error, order []int) error {
	ended := make([]chan struct{}, len(errs))
	for i := range ended {
		ended[i] = make(chan struct{})
	}
	for i, err := range errs {
		g.Go(func() error {
			defer close(ended[i])
			for at, call := range order {
				if call == i && at > 0 {
					<-ended[order[at-1]]
				}
			}
			return err
		})
	}
	return g.Wait()
}

func TestTheErrorIsTheSameWhicheverShardAnswersFirst(t *testing.T) {
	away := errors.New("the shard is away")
	first, second, other := refusal("first", 1), refusal("second", 2), refusal("not of a filter", 0)
	for _, c := range []struct {
		errs []error
		want error
	}{
		{[]error{nil, nil, nil}, nil},
		{[]error{second, first, nil}, first},
		{[]error{other, second, nil}, second},
		{[]error{refusal("of shard 0", 2), refusal("of shard 1", 2), other}, refusal("of shard 0", 2)},
		{[]error{first, nil, away}, away},
	} {
		for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			got := run(new(Group), c.errs, order)
			if (got == nil) != (c.want == nil) || got != nil && got.Error() != c.want.Error() {
				t.Errorf("errors %v ending in the order %v give %v, want %v", c.errs, order, got, c.want)
			}
		}
	}
}

func TestOnlyAMissingAnswerStopsTheOtherShards(t *testing.T) {
	g, ctx := WithContext(context.Background())
	refused := make(chan struct{})
	g.Go(func() error { defer close(refused); return refusal("no", 1) })
	g.Go(func() error {
		<-refused
		// The refusal may be recorded after this check; it must not end ctx then either.
		return ctx.Err()
	})
	if err := g.Wait(); err == nil || err.Error() != "no" {
		t.Fatalf("the others were stopped: %v", err)
	}
	away := errors.New("the shard is away")
	g, ctx = WithContext(context.Background())
	g.Go(func() error { return away })
	g.Go(func() error { <-ctx.Done(); return ctx.Err() })
	if err := g.Wait(); !errors.Is(err, away) {
		t.Fatalf("got %v", err)
	}
}

func TestAPanicOfOneShardFailsTheCallAndNotTheProcess(t *testing.T) {
	g, ctx := WithContext(context.Background())
	g.Go(func() error { panic("boom") })
	g.Go(func() error { <-ctx.Done(); return ctx.Err() }) // the others are stopped
	err := g.Wait()
	var crash *wire.Crash
	if !errors.As(err, &crash) || crash.Value != "boom" || !strings.Contains(crash.Stack, "TestAPanicOfOneShard") {
		t.Errorf("%v", err)
	}
}
