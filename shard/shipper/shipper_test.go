package shipper

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"shoal/wire"
)

// convoy ships deltas to nodes that take as long as the test says, on a clock that
// stands still unless everybody waits.
type convoy struct {
	*Shipper
	takes map[wire.NodeID]time.Duration
	// silent are nodes that the leader considers silent.
	silent []wire.NodeID
	ended  []wire.NodeID
}

func newConvoy() *convoy {
	return &convoy{Shipper: New(slog.New(slog.NewTextHandler(io.Discard, nil))), takes: map[wire.NodeID]time.Duration{}}
}

// send ships one delta and returns who has it and how long the caller waited.
func (c *convoy) send(ctx context.Context, built time.Duration, nodes ...wire.NodeID) (have []wire.NodeID, took time.Duration) {
	begin := time.Now()
	for i, ok := range c.Ship(ctx, wire.ShardKey{IndexID: 1}, nodes, c.silent, built, func(ctx context.Context, n wire.NodeID) error {
		select {
		case <-time.After(c.takes[n]):
		case <-ctx.Done():
			return ctx.Err()
		}
		if c.takes[n] == 0 {
			return errors.New("away")
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ended = append(c.ended, n)
		return nil
	}) {
		if ok {
			have = append(have, nodes[i])
		}
	}
	return have, time.Since(begin)
}

// pause lets time pass, and all that is due by then happen before it returns.
func pause(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// Symptom: the first write after a leader froze waited half a second for its copy,
// though it was known not to answer.
func TestAWriteWaitsBrieflyForASilentCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConvoy()
		c.silent = []wire.NodeID{"frozen", "well"}
		c.takes["frozen"], c.takes["well"] = 10*time.Second, 5*time.Millisecond
		if have, took := c.send(t.Context(), 10*time.Millisecond, "frozen", "well"); !slices.Equal(have, []wire.NodeID{"well"}) || took != shipBound/probationShare {
			t.Errorf("%v after %s", have, took)
		}
		c.Close()
	})
}

// Symptom: a node that ran 50 ms of each second made every write take 0.9 s.
func TestRow05ASlowCopyDoesNotSetThePaceOfWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConvoy()
		c.takes["quick"], c.takes["slow"] = 5*time.Millisecond, 950*time.Millisecond
		have, took := c.send(t.Context(), 10*time.Millisecond, "quick", "slow")
		if !slices.Equal(have, []wire.NodeID{"quick"}) || took != shipBound {
			t.Fatalf("the first delta: %v after %s", have, took)
		}
		// While that is in flight, nobody waits for the node at all.
		if have, took = c.send(t.Context(), 10*time.Millisecond, "slow", "quick"); !slices.Equal(have, []wire.NodeID{"quick"}) || took != 5*time.Millisecond {
			t.Errorf("the second delta: %v after %s", have, took)
		}
		pause(time.Second)
		if !slices.Equal(c.ended, []wire.NodeID{"quick", "quick", "slow"}) {
			t.Errorf("the late delta did not arrive: %v", c.ended)
		}
		// It arrived, so the node may be in sync again. It gets little time.
		if have, took = c.send(t.Context(), 10*time.Millisecond, "quick", "slow"); !slices.Equal(have, []wire.NodeID{"quick"}) || took != shipBound/probationShare {
			t.Errorf("a delta within the probation: %v after %s", have, took)
		}
		pause(time.Second)
		// A node that takes one delta in time and the next one late is still slow.
		for range 3 {
			c.takes["slow"] = 10 * time.Millisecond
			if have, _ = c.send(t.Context(), 10*time.Millisecond, "quick", "slow"); len(have) != 2 {
				t.Errorf("a node that is quick for a moment is left out: %v", have)
			}
			c.takes["slow"] = 950 * time.Millisecond
			if have, took = c.send(t.Context(), 10*time.Millisecond, "quick", "slow"); len(have) != 1 || took != shipBound/probationShare {
				t.Errorf("a delta within the probation, after one in time: %v after %s", have, took)
			}
			pause(time.Second)
		}
		// Deltas in time for a while end that.
		c.takes["slow"] = 10 * time.Millisecond
		for range 2 {
			if have, _ = c.send(t.Context(), 10*time.Millisecond, "quick", "slow"); len(have) != 2 {
				t.Errorf("a node that is quick again is left out: %v", have)
			}
			pause(probationEnd)
		}
		c.takes["slow"] = 300 * time.Millisecond
		if have, _ = c.send(t.Context(), 10*time.Millisecond, "quick", "slow"); len(have) != 2 {
			t.Errorf("a node that was quick is left out at once: %v", have)
		}
		c.Close()
	})
}

// A delta that takes the builder or another copy long may take all of them long.
func TestACopyHasTimeInProportionToTheFastest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConvoy()
		c.takes["b"], c.takes["c"] = 3*time.Second, 11*time.Second
		if have, took := c.send(t.Context(), 2*time.Second, "b", "c"); len(have) != 2 || took != 11*time.Second {
			t.Errorf("%v after %s", have, took)
		}
		c.takes["c"] = 13 * time.Second
		if have, took := c.send(t.Context(), 2*time.Second, "b", "c"); len(have) != 1 || took != 12*time.Second {
			t.Errorf("%v after %s", have, took)
		}
		pause(time.Minute)
		if have, took := c.send(t.Context(), 7*time.Second, "c"); len(have) != 1 || took != 13*time.Second {
			t.Errorf("alone: %v after %s", have, took)
		}
		c.Close()
	})
}

// A send does not outlive its caller's context, the host or its time.
func TestALateSendEndsAfterItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConvoy()
		c.takes["hangs"] = 365 * 24 * time.Hour
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		if have, took := c.send(ctx, 0, "hangs"); len(have) != 0 || took != 100*time.Millisecond {
			t.Errorf("after the end of the caller's context: %v after %s", have, took)
		}
		if have, took := c.send(t.Context(), 0, "hangs", "away"); len(have) != 0 || took != shipBound {
			t.Errorf("%v after %s", have, took)
		}
		pause(shipTail + time.Second)
		if len(c.late) != 0 {
			t.Errorf("still on its way: %v", c.late)
		}
		c.send(t.Context(), 0, "hangs")
		c.Close() // waits: synctest reports leaks
	})
}
