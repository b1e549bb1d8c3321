package placement

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"shoal/coordinator/coordtest"
	"shoal/coordinator/replica"
	"shoal/wire"
)

// mutedLog has no leader for a while. Proposals wait until their context ends.
type mutedLog struct {
	*coordtest.Log
	until time.Time
	tries int
}

func (l *mutedLog) Propose(ctx context.Context, cmd *wire.Command) (*wire.Result, error) {
	if time.Now().Before(l.until) {
		l.tries++
		<-ctx.Done()
		return nil, wire.ErrNoLeader
	}
	return l.Log.Propose(ctx, cmd)
}

// A regression test: a replica that returned while the link to the leader was still down waited
// for it once and then paused ten times as long. An index was short of a copy for up to a
// minute after the leader answered again.
func TestAReplicaReturnsSoonAfterTheLeaderAnswersAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet("n1", "n2", "n3")
		f.balancer.Placement.Replicas = 1
		var all []*wire.Index
		for i := range 8 {
			x := f.newIndex(t, fmt.Sprint("x", i), f.balancer.Placement)
			f.publish(t, x)
			all = append(all, x)
		}
		f.settle(t)
		for _, x := range all {
			node := wire.NodeID("n2")
			if f.replicas(x.ID, 0) == "n2+" {
				node = "n3"
			}
			if _, err := f.log.Propose(t.Context(), &wire.Command{Update: &wire.Update{Changes: []wire.Change{{
				PutReplica: &wire.ReplicaChange{IndexID: x.ID, Replica: wire.Replica{Node: node, State: wire.Copying}}}}}}); err != nil {
				t.Fatal(err)
			}
		}
		const silence = 6 * time.Second
		begin := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		muted := map[string]*mutedLog{}
		for _, name := range []string{"n1", "n2", "n3"} {
			l := &mutedLog{Log: f.log, until: begin.Add(silence)}
			muted[name] = l
			fo := replica.NewFollower(replica.FollowerConfig{Self: wire.NodeID(name), Log: l, Store: f.peers[wire.NodeID(name)], Source: f.peers, Faults: slog.New(slog.DiscardHandler)})
			go func() {
				_ = fo.Run(ctx) // ends with ctx
				done <- struct{}{}
			}()
		}
		whole := func() bool {
			for _, x := range all {
				now, _ := f.log.Catalog().IndexByID(x.ID)
				if inSyncCount(&now.Shards[0]) != 2 {
					return false
				}
			}
			return true
		}
		for !whole() && time.Since(begin) < 2*time.Minute {
			time.Sleep(50 * time.Millisecond)
		}
		if took := time.Since(begin); took > silence+8*time.Second {
			t.Errorf("all copies were there %s after the leader's answer", took-silence)
		}
		cancel()
		for name, l := range muted {
			<-done
			if l.tries > 2 {
				t.Errorf("%s waited %d times for a leader that does not answer", name, l.tries)
			}
		}
	})
}
