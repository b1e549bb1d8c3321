package gate

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Symptom: a build during searches used both cores as long as it lasted.
func TestABuildYieldsToSearches(t *testing.T) {
	var g Gate
	pace := g.Pacer()
	if err := pace(t.Context()); err != nil { // no searches
		t.Fatal(err)
	}
	g.Enter()
	g.Enter()
	g.Leave()
	time.Sleep(workSlice)
	start := time.Now()
	if err := pace(t.Context()); err != nil {
		t.Fatal(err)
	}
	if waited := time.Since(start); waited < workSlice {
		t.Errorf("waited %s for a search that runs", waited)
	}
	start = time.Now()
	if err := pace(t.Context()); err != nil || time.Since(start) > time.Second {
		t.Errorf("its share of the time is gone: %v after %s", err, time.Since(start))
	}
	time.Sleep(workSlice)
	done := make(chan error)
	go func() { done <- pace(t.Context()) }()
	g.Leave()
	if err := <-done; err != nil {
		t.Error(err)
	}
	time.Sleep(betweenSteps)
	if g.busy() {
		t.Error("a search runs that is over")
	}
	g.Enter()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	time.Sleep(workSlice)
	if err := pace(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}
