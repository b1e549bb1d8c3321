package main

import (
	"context"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

func TestHitsAndScoresAreThoseOfBruteForceOnEveryShape(t *testing.T) {
	if testing.Short() {
		t.Skip("starts five nodes")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	binary, err := clustertest.Build(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := options{binary: binary, dir: t.TempDir(), shapes: "1x1,1x4,3x3", seed: 34, documents: 2500, searches: 300, changeEvery: 20, restartEvery: 200, out: testLog{t}}
	if err := run(ctx, o); err != nil {
		t.Fatal(err)
	}
}

// testLog writes lines into a test's log.
type testLog struct{ t *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}
