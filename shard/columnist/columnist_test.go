package columnist

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"shoal/shard/docset"
	"shoal/wire"
)

// A columnist that has nothing to watch sleeps until there is something.
func TestASleepingColumnistWakesForAChangedShard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{})
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { c.Run(ctx) })
		for range 3 {
			time.Sleep(time.Hour)
			c.watch(c.Keeper(wire.ShardKey{IndexID: 1}))
			if c.resting() {
				t.Error("a shard that has changed is not watched")
			}
			time.Sleep(columnTick + time.Millisecond)
			if !c.resting() {
				t.Error("a shard that has changed was not looked at")
			}
		}
		cancel()
		running.Wait()
	})
}

// Symptom: ten thousand small idle shards took a few percent of a core, because all of
// them were checked ten times a second.
func TestSmallShardsAreCheckedOncePerChange(t *testing.T) {
	c := New(Options{})
	idle, changed, kept := c.Keeper(wire.ShardKey{IndexID: 1}), c.Keeper(wire.ShardKey{IndexID: 2}), c.Keeper(wire.ShardKey{IndexID: 3})
	for _, k := range []*Keeper{idle, changed, kept} {
		c.watch(k)
	}
	changed.dirty = true
	kept.files = &group{held: []holding{{}}} // files may turn out damaged at any time
	for range 2 {
		if got := c.busy(); len(got) != 2 || got[0] == idle || got[1] == idle {
			t.Fatalf("%d of 3 shards are looked at", len(got))
		}
	}
	c.watch(idle)
	if got := c.busy(); len(got) != 2 {
		t.Errorf("%d of 3 shards are looked at", len(got))
	}
	idle.dirty = true
	if c.watch(idle); len(c.busy()) != 3 {
		t.Error("a shard that has changed is not looked at")
	}
	if c.forget(changed); len(c.busy()) != 2 || len(c.all()) != 2 {
		t.Error("a shard that was closed is looked at")
	}
}

// Symptom: a client that searched without a pause after an import of 100,000 documents held
// up their columns for 13 seconds. Each of its searches took 50 ms instead of one.
func TestTheFirstColumnsDoNotYieldToSearches(t *testing.T) {
	paced := 0
	c := New(Options{Pacer: func() func(context.Context) error {
		return func(context.Context) error { paced++; return nil }
	}})
	n := need{of: c.Keeper(wire.ShardKey{IndexID: 1}), live: docset.Range(0, 4096)}
	for _, x := range []struct{ lacking, paced int }{{4096, 0}, {513, 0}, {512, 1}} {
		n.of.lacking, paced = x.lacking, 0
		if err := c.pacer(&job{urgent: n.urgent()})(t.Context()); err != nil || paced != x.paced {
			t.Errorf("%d of 4096 lack columns: paced %d times, %v", x.lacking, paced, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.pacer(&job{urgent: true})(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("an urgent construction does not end: %v", err)
	}
}
