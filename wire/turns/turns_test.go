package turns

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// store behaves as pebble does towards its scheduler. Its work begins by itself or, if it got
// no turn, through next.
type store struct {
	t       *testing.T
	turns   *turns
	allowed atomic.Int64

	mu             sync.Mutex
	waits          int
	running, most  int
	begun, started int
	work           sync.WaitGroup
	took           time.Duration
}

func newStore(t *testing.T, allowed int64) *store {
	s := &store{t: t, took: 10 * time.Millisecond}
	s.allowed.Store(allowed)
	s.turns = newTurns(func() int { return int(s.allowed.Load()) }, s.next)
	return s
}

// want requests a turn as pebble does, only while nothing waits, and with its lock held.
func (s *store) want() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun++
	if s.waits > 0 || !s.turns.Take() {
		s.waits++
		return
	}
	s.run()
}

func (s *store) next() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waits == 0 {
		return false
	}
	s.waits--
	s.run()
	return true
}

// run starts one piece of work. The caller holds mu.
func (s *store) run() {
	s.running++
	s.started++
	s.most = max(s.most, s.running)
	s.work.Go(func() {
		time.Sleep(s.took)
		s.mu.Lock()
		s.running--
		s.mu.Unlock()
		s.turns.Done()
	})
}

func TestWorkThatGotNoTurnBeginsLater(t *testing.T) {
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			s := newStore(t, 1+r.Int64N(3))
			var wanting sync.WaitGroup
			for range 4 {
				pauses := make([]time.Duration, 20)
				for i := range pauses {
					pauses[i] = time.Duration(r.IntN(15)) * time.Millisecond
				}
				wanting.Go(func() {
					for _, p := range pauses {
						time.Sleep(p)
						s.want()
					}
				})
			}
			wanting.Wait()
			time.Sleep(time.Minute)
			s.work.Wait()
			if s.started != s.begun || s.waits > 0 {
				t.Errorf("seed %d: %d of %d pieces of work ran", seed, s.started, s.begun)
			}
			if int64(s.most) > s.allowed.Load() {
				t.Errorf("seed %d: %d ran at once, %d may", seed, s.most, s.allowed.Load())
			}
			s.turns.End()
		})
	}
}

func TestAnAdditionalTurnIsNoticedWhileWorkWaits(t *testing.T) {
	for name, c := range map[string]struct {
		told bool
		more time.Duration
	}{"by itself": {false, lookAgain}, "when it is told": {true, 0}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStore(t, 1)
				s.took = time.Hour
				s.want()
				s.want()
				time.Sleep(time.Second + lookAgain/3)
				if s.started != 1 {
					t.Fatalf("%d ran", s.started)
				}
				s.allowed.Store(2)
				if c.told {
					s.mu.Lock() // as pebble does
					s.turns.Look()
					s.mu.Unlock()
				}
				time.Sleep(c.more)
				synctest.Wait()
				if s.started != 2 {
					t.Errorf("%d run", s.started)
				}
				s.work.Wait()
				s.turns.End()
			})
		})
	}
}

// A regression test: a process with two idle stores woke up twenty times a second.
func TestTurnsDoNotWakeAnIdleProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		s := newStore(t, 1)
		s.turns.allowed = func() int { looks++; return 1 }
		s.want()
		time.Sleep(time.Second)
		synctest.Wait()
		looks = 0
		time.Sleep(time.Hour)
		synctest.Wait()
		if looks > 0 {
			t.Errorf("they were looked at %d times in an hour without work", looks)
		}
		s.turns.End()
	})
}

func TestNextIsNotCalledAfterEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, 1)
		s.want()
		s.want()
		s.turns.End()
		s.work.Wait()
		time.Sleep(time.Hour)
		if s.started != 1 {
			t.Errorf("%d ran", s.started)
		}
		if s.turns.Take() {
			t.Error("a turn was given after the end")
		}
	})
}

func TestEndWaitsForARunningNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Bool
		turns := newTurns(func() int { return 1 }, func() bool {
			asked.Store(true)
			time.Sleep(time.Second)
			asked.Store(false)
			return false
		})
		if !turns.Take() || turns.Take() {
			t.Fatal("there is one turn")
		}
		go turns.Done()
		synctest.Wait()
		if !asked.Load() {
			t.Fatal("the store is not asked")
		}
		if turns.End(); asked.Load() {
			t.Error("the store is still asked")
		}
	})
}
