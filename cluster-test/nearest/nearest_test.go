package main

import (
	"context"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
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
	o := options{binary: binary, dir: t.TempDir(), shapes: "1x1,1x4,3x3", seed: 34, documents: 2500, searches: 300, changeEvery: 20, restartEvery: 200, out: rig.Log(t)}
	if err := run(ctx, o); err != nil {
		t.Fatal(err)
	}
}
