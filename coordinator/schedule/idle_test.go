package schedule

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"shoal/coordinator/coordtest"
)

// asked counts how often a scheduler checks whether it leads.
type asked struct {
	*coordtest.Log
	times atomic.Int64
}

func (l *asked) Leading() (uint64, bool) {
	l.times.Add(1)
	return l.Log.Leading()
}

// A regression test: every node checked twenty times a second whether it leads, and the leader
// checked all of its indexes five times a second.
func TestAnIdleSchedulerPollsOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		log := &asked{Log: r.log}
		s := NewScheduler(log, r.shards, r.shards.Blobs, r.cfg)
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = s.Run(ctx) }) // its only error is the end of ctx
		defer running.Wait()
		defer cancel()
		r.wait(r.add("movies", `{"id":1}`, keyed("id")))
		time.Sleep(time.Second)
		before := log.times.Load()
		time.Sleep(10 * time.Second)
		if n := log.times.Load() - before; n > 12 {
			t.Errorf("it looked %d times in ten seconds in which nothing happened", n)
		}
		begun := time.Now()
		r.wait(r.add("movies", `{"id":2}`, keyed("id")))
		if took := time.Since(begun); took > 100*time.Millisecond {
			t.Errorf("a task took %s when nothing had happened for a while", took)
		}
	})
}
