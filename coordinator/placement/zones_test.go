package placement

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"shoal/coordinator/coordtest"
	"shoal/wire"
)

// TestCopiesSettleSpreadOverZones settles many kinds of clusters. No zone may have two more
// copies of a shard than another zone with a free node, and no copy may move back and forth.
func TestCopiesSettleSpreadOverZones(t *testing.T) {
	zoned := 0
	for seed := range uint64(300) {
		dice := rand.New(rand.NewPCG(seed, 1))
		c := someZones(dice)
		now := time.Unix(1000, 0)
		b := NewBalancer(BalancerConfig{Now: func() time.Time { return now }})
		for pass := 0; ; pass++ {
			decisions := b.Plan(c)
			if len(decisions) == 0 {
				break
			}
			if pass > 200 {
				t.Fatalf("seed %d: it does not come to rest: %s", seed, decisions[0].Reason)
			}
			for _, d := range decisions {
				carry(c, &d.Change)
			}
			arrive(c)
		}
		z := zonesOf(c)
		if z != nil {
			zoned++
		}
		for _, x := range c.Indexes() {
			for i := range x.Shards {
				if why := crowded(c, z, &x.Shards[i]); why != "" {
					t.Fatalf("seed %d: %s: %s", seed, x.UID, why)
				}
			}
		}
	}
	if zoned < 100 {
		t.Errorf("zones counted in %d clusters only", zoned)
	}
}

// someZones is a cluster of two to seven nodes in up to four zones, with copies anywhere.
func someZones(dice *rand.Rand) *coordtest.Catalog {
	c := coordtest.NewLog().State
	nodes := 2 + dice.IntN(6)
	zones := 1 + dice.IntN(4)
	for i := range nodes {
		c.Members = append(c.Members, &wire.Node{
			ID: wire.NodeID(fmt.Sprintf("n%d", i)), Data: true, Voter: true, Zone: string('a' + rune(dice.IntN(zones))), Draining: dice.IntN(8) == 0,
		})
	}
	for i := range 1 + dice.IntN(6) {
		x := &wire.Index{UID: fmt.Sprintf("x%d", i), ID: uint32(i + 1), Version: 1, ReplicaGoal: dice.IntN(4)}
		for range 1 + dice.IntN(3) {
			s := wire.Shard{Number: uint16(len(x.Shards))}
			for _, at := range dice.Perm(nodes)[:1+dice.IntN(min(3, nodes))] {
				s.Replicas = append(s.Replicas, wire.Replica{Node: c.Members[at].ID, State: wire.InSync})
			}
			x.Shards = append(x.Shards, s)
		}
		c.ByID[x.ID] = x
	}
	return c
}

// crowded describes a zone that has too many copies of a shard, if there is one.
func crowded(c *coordtest.Catalog, z zones, s *wire.Shard) string {
	var have []wire.NodeID
	for _, r := range s.Replicas {
		have = append(have, r.Node)
	}
	for _, free := range dataNodes(c) {
		if slices.Contains(have, free) {
			continue
		}
		for _, n := range have {
			if z.beside(n, have) > z.beside(free, have)+1 {
				return fmt.Sprintf("%v: zone %s has %d, and %s in zone %s is free", have, z[n], z.beside(n, have), free, z[free])
			}
		}
	}
	return ""
}
