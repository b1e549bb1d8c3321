package catchup

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"shoal/coordinator/coordtest"
	"shoal/wire"
)

// cutOff is a log whose barriers end as a test says.
type cutOff struct {
	*coordtest.Log
	barrier func() error
}

func (c cutOff) Barrier(context.Context) error { return c.barrier() }

// returned is node n1 after a restart. The other copy of films is on n2.
func returned(barrier func() error) (*Copies, cutOff) {
	log := cutOff{coordtest.NewFilmsLog(), barrier}
	put(log, wire.InSync, 4)
	return New(Config{
		Self: "n1", Log: log, Out: slog.New(slog.DiscardHandler),
		Alive: func(wire.NodeID) bool { return true }, Seen: func(wire.NodeID) bool { return true },
		Reached: func() bool { return true }, Whole: func(*wire.Index, uint16) bool { return true },
	}), log
}

// put sets the state of n1's copy in the catalogue, and the version of films.
func put(log cutOff, mine wire.ReplicaState, version uint64) {
	log.Mu.Lock()
	defer log.Mu.Unlock()
	next := *log.State
	next.ByID = maps.Clone(next.ByID)
	next.ByID[7] = &wire.Index{ID: 7, UID: "films", Version: version, Shards: []wire.Shard{
		{SlotHi: wire.Slots, Replicas: []wire.Replica{{Node: "n1", State: mine}, {Node: "n2", State: wire.InSync}}},
	}}
	log.State = &next
}

func there() error { return nil }

// expect checks what the probes answer.
func expect(t *testing.T, c *Copies, when string, copies int, known bool) {
	t.Helper()
	synctest.Wait()
	if n, k := c.Lacking(); n != copies || k != known {
		t.Errorf("%s: %d copies lack something, known: %t; expected %d, %t", when, n, k, copies, known)
	}
}

// A pod that came back within its lease got a new lease at once and found nothing missing
// in its old catalogue. The next pod was then stopped, and requests got 503.
func TestANodeThatCameBackIsNotReadyByItsOldCatalogue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var leader atomic.Bool
		var c *Copies
		var log cutOff
		c, log = returned(func() error {
			if !leader.Load() {
				return wire.ErrNoLeader
			}
			put(log, wire.Copying, 9) // what was committed meanwhile
			return nil
		})
		go c.Run(t.Context())
		expect(t, c, "before the first word from a leader", 0, false)
		time.Sleep(time.Second)
		expect(t, c, "after a second without a leader", 0, false)
		leader.Store(true)
		time.Sleep(time.Second)
		expect(t, c, "with what was committed meanwhile", 1, true)
		put(log, wire.InSync, 9)
		time.Sleep(time.Second)
		expect(t, c, "in sync", 0, true)
		put(log, wire.Copying, 10)
		time.Sleep(time.Second)
		expect(t, c, "behind again, later", 0, true)
	})
}

// A delta is sent while the node is away, the node starts, and the batch commits without
// it.
func TestANodeThatMissedTheDeltaOfABatchUnderWayIsNotReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, log := returned(there)
		films := "films"
		log.StoredTasks[1] = &wire.Task{UID: 1, IndexUID: &films, Status: wire.Processing}
		go c.Run(t.Context())
		expect(t, c, "while the batch is under way", 1, true)
		put(log, wire.Copying, 5)
		time.Sleep(settleLimit)
		expect(t, c, "after its commit", 1, true)
		put(log, wire.InSync, 6)
		time.Sleep(time.Second)
		expect(t, c, "in sync", 0, true)
	})
}

// Each wait has a limit: for a long batch, for a leader that does not come, for a copy that
// no other node has, for one that never catches up.
func TestANodeIsReadyWithoutCopiesThatMayNeverCome(t *testing.T) {
	for _, c := range []struct {
		what   string
		within time.Duration
		copies int
		known  bool
		make   func() *Copies
	}{
		{"a batch that goes on", settleLimit, 1, true, func() *Copies {
			c, log := returned(there)
			films := "films"
			log.StoredTasks[1] = &wire.Task{UID: 1, IndexUID: &films, Status: wire.Processing}
			return c
		}},
		{"no leader", contactLimit, 0, false, func() *Copies { c, _ := returned(func() error { return wire.ErrNoLeader }); return c }},
		{"a node that never came", settleLimit, 1, true, func() *Copies {
			c, log := returned(there)
			put(log, wire.Copying, 4)
			nobody := func(wire.NodeID) bool { return false }
			c.Alive, c.Seen = nobody, nobody
			return c
		}},
		{"gossip that reaches nobody", gossipLimit, 1, true, func() *Copies {
			c, log := returned(there)
			put(log, wire.Copying, 4)
			nobody := func(wire.NodeID) bool { return false }
			c.Alive, c.Seen, c.Reached = nobody, nobody, func() bool { return false }
			return c
		}},
		{"a copy that does not catch up", catchUpLimit, 1, true, func() *Copies {
			c, _ := returned(there)
			c.Whole = func(*wire.Index, uint16) bool { return false }
			return c
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				up := c.make()
				go up.Run(ctx)
				expect(t, up, "at first", c.copies, c.known)
				time.Sleep(c.within - time.Millisecond)
				expect(t, up, "shortly before", c.copies, c.known)
				time.Sleep(time.Second)
				expect(t, up, "after "+c.within.String(), 0, true)
			})
		})
	}
}

// A node whose copies nobody else has does not wait for itself.
func TestANodeWithTheOnlyCopiesIsReadyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := returned(there)
		c.Alive = func(wire.NodeID) bool { return false }
		c.Whole = func(*wire.Index, uint16) bool { return false }
		go c.Run(t.Context())
		expect(t, c, "alone", 0, true)
	})
}

// A node heard from a leader before its gossip had reached anybody, because that waited for
// a seed that was gone. All other nodes seemed to be gone, so that none could supply what
// its copies lacked, and the node was ready for good.
func TestANodeIsNotReadyBeforeItsGossipHasReachedOthers(t *testing.T) {
	index := func(mine, other wire.ReplicaState) *wire.Index {
		return &wire.Index{Shards: []wire.Shard{{Replicas: []wire.Replica{{Node: "this", State: mine}, {Node: "other", State: other}}}}}
	}
	behind, copied := index(wire.InSync, wire.InSync), index(wire.CaughtUp, wire.InSync)
	sound, lone := index(wire.InSync, wire.InSync), index(wire.InSync, wire.CaughtUp)
	elsewhere := &wire.Index{Shards: []wire.Shard{{Replicas: []wire.Replica{{Node: "other", State: wire.InSync}}}}}
	log := coordtest.NewLog("this", "other")
	for i, x := range []*wire.Index{behind, copied, sound, lone, elsewhere} {
		log.State.ByID[uint32(i)] = x
	}
	for _, c := range []struct {
		what    string
		reached bool
		up      []wire.NodeID
		want    int
	}{
		{"gossip has reached nobody", false, nil, 2},
		{"it has, and the other node is there", true, []wire.NodeID{"this", "other"}, 2},
		{"it has, and the other node is gone", true, []wire.NodeID{"this", "third"}, 0},
	} {
		now := time.Now()
		here := New(Config{
			Self: "this", Log: log, Reached: func() bool { return c.reached }, Seen: func(wire.NodeID) bool { return c.reached },
			Alive: func(id wire.NodeID) bool { return slices.Contains(c.up, id) }, Whole: func(x *wire.Index, _ uint16) bool { return x == sound },
		})
		here.contact = now
		if got := here.lacking(now.Add(2 * settleLimit)); got != c.want {
			t.Errorf("%s: %d copies are waited for, not %d", c.what, got, c.want)
		}
	}
}
