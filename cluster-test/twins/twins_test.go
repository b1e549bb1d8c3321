package main

import (
	"bytes"
	"context"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/life"
	"shoal/cluster-test/rig"
)

func TestShardsReplicasAndRestartsNeverShow(t *testing.T) {
	if testing.Short() {
		t.Skip("starts five nodes")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	binary, err := clustertest.Build(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := options{binary: binary, dir: t.TempDir(), ops: 600, shapes: "1x1,1x4,3x3", base: 800, seed: 20, restartEvery: 200, moveEvery: 100, differences: 1, out: rig.Log(t)}
	if err := run(ctx, o); err != nil {
		t.Fatal(err)
	}
}

func TestTheStreamFollowsFromTheSeed(t *testing.T) {
	text := func() []byte {
		w := life.New(7)
		var b bytes.Buffer
		for _, r := range w.Found(50) {
			b.WriteString(r.String())
		}
		for range 400 {
			for _, r := range w.Next() {
				b.WriteString(r.String())
			}
		}
		return b.Bytes()
	}
	if !bytes.Equal(text(), text()) {
		t.Fatal("one seed gave two streams")
	}
}
