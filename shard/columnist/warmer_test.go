package columnist

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"shoal/shard/store"
)

// Shards are warmed stage by stage, not one after the other, because the first searches
// may need any of them.
func TestShardsAreWarmedStageByStage(t *testing.T) {
	w := &warmer{news: make(chan struct{}, 1)}
	first, second := &coldShard{}, &coldShard{}
	w.shards = []*coldShard{first, second}
	for i, want := range []*coldShard{first, second, first, second} {
		got := w.next()
		if got != want {
			t.Fatalf("turn %d is another shard's", i)
		}
		got.stage++
	}
	w.done(first, nil)
	if w.next() != second {
		t.Error("a shard that is warm has a turn")
	}
	w.done(second, nil)
	if w.next() != nil {
		t.Error("there is a shard after all are warm")
	}
}

// A node without a page cache budget, or with small columns only, reads nothing. The
// reader ends with the node.
func TestNothingIsWarmedWithoutABudgetOrAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, room := range []int64{0, 1 << 20} {
			c := New(Options{Warm: room})
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { c.Warm(ctx) })
			c.warmer.add(nil, store.KeyRange{})
			synctest.Wait()
			if c.warmer.next() != nil {
				t.Error("a shard without mapped columns waits")
			}
			cancel()
			running.Wait()
			if !c.warmer.ended {
				t.Error("shards that are loaded later would wait for ever")
			}
		}
	})
}
