package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	clustertest "shoal/cluster-test"
)

// smallDisk is so small that the index of the clients is more than a tenth of it after some
// writes, and less than a twentieth after others: every sixth batch of a group has 20 kB, the
// others have less than one.
const smallDisk = 200_000

// TestCopiesOfAnIndexThatGrowsAndShrinksComeAndGoWithoutALoss: the index of the clients has a
// copy on each of three nodes while it is small, two when it has grown, and three again, while
// clients write and a node is killed now and then.
func TestCopiesOfAnIndexThatGrowsAndShrinksComeAndGoWithoutALoss(t *testing.T) {
	for seed := uint64(1); seed <= 2; seed++ {
		seen := map[int]int{}
		judged(t, observe(t, seed, *plant, smallDisk, func(ctx context.Context, o *outcome) { watchWidth(ctx, o, seen) }))
		if seen[3] == 0 || seen[2] == 0 {
			t.Errorf("seed %d: three copies were wanted %d times and two %d times", seed, seen[3], seen[2])
		}
		t.Logf("seed %d: looks by wanted copies: %v", seed, seen)
	}
}

// watchWidth counts how many copies are wanted, and kills a node now and then.
func watchWidth(ctx context.Context, o *outcome, seen map[int]int) {
	r := o.random("width")
	for look := 1; ctx.Err() == nil; look++ {
		if look%20 == 0 {
			h := o.hosts[r.IntN(firstMembers)]
			h.kill(true)
			pause(ctx, time.Duration(r.IntN(1500))*time.Millisecond)
			h.start()
		}
		if x, err := o.placed(ctx); err == nil {
			seen[x.ReplicaGoal]++
		}
		pause(ctx, 100*time.Millisecond)
	}
}

// TestANearlyFullDiskGetsNoCopyThatNoFailureNeeds: a small index has two copies while the disk
// of the third node is nearly full, and three when there is room.
func TestANearlyFullDiskGetsNoCopyThatNoFailureNeeds(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1)
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t, 1, hugeDisk, firstMembers, 0)
		o := &outcome{cluster: c, clients: newClients(c)}
		ctx := t.Context()
		c.hosts[2].disk.free.Store(hugeDisk / 20)
		for _, h := range c.hosts {
			h.start()
		}
		if o.await(ctx, "a new cluster", o.whole) {
			pause(ctx, 20*time.Second) // the leader asks how full disks are every 15 s
			o.batch(ctx, c.hosts[0], 1)
			pause(ctx, time.Minute)
			if on := o.holders(ctx); on != "n1 n2" {
				c.wrong("with a full disk the copies are on %s", on)
			}
			c.hosts[2].disk.free.Store(hugeDisk)
			o.await(ctx, "three copies", o.whole)
			if on := o.holders(ctx); on != "n1 n2 n3" {
				c.wrong("with room on all disks the copies are on %s", on)
			}
		}
		c.shutdown()
		judged(t, o)
	})
}

// holders names the nodes that hold the first shard of the index of the clients.
func (o *outcome) holders(ctx context.Context) string {
	x, err := o.placed(ctx)
	if err != nil {
		return err.Error()
	}
	on := []string{}
	for _, r := range x.Shards[0].Replicas {
		on = append(on, r.Name)
	}
	slices.Sort(on)
	return strings.Join(on, " ")
}

// placed asks a node where the index of the clients is.
func (o *outcome) placed(ctx context.Context) (*clustertest.IndexStatus, error) {
	a, err := o.clients.do(ctx, o.hosts[0], time.Second, "GET", "/cluster/status", nil)
	if err != nil {
		return nil, err
	}
	status := new(clustertest.Status)
	if err := json.Unmarshal(a.body, status); err != nil || a.status != http.StatusOK || len(status.Indexes) != 1 {
		return nil, fmt.Errorf("%w: %s", err, a.body)
	}
	return &status.Indexes[0], nil
}
