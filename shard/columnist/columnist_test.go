package columnist

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

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
