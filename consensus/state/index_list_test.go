package state

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"shoal/wire"
)

// change makes, changes or drops an index.
func (l *layer) change(r *rand.Rand, name string) {
	x, ok := l.Index(name)
	switch {
	case !ok:
		l.putIndex(&wire.Index{ID: l.nextIndex, UID: name})
	case r.IntN(3) == 0:
		l.dropIndex(x)
	default:
		l.putIndex(&wire.Index{ID: x.ID, UID: name, Version: x.Version + 1})
	}
}

// A listing that is updated by changes equals the one built from the whole table.
func TestAListingThatFollowsChangesIsTheSortedTable(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	c := newCatalog()
	for round := range 2000 {
		l := newLayer(c)
		for range 1 + r.IntN(3)*r.IntN(200) { // now and then more than are followed
			l.change(r, fmt.Sprint("index ", r.IntN(400)))
		}
		if c = l.over(c); r.IntN(3) == 0 {
			continue // nobody lists this one
		}
		want := new(indexList).get(c.indexes)
		got := c.Indexes()
		if !slices.Equal(got, want) || !slices.IsSortedFunc(got, func(a, b *wire.Index) int { return strings.Compare(a.UID, b.UID) }) {
			t.Fatalf("seed %d, round %d: %d indexes are listed of %d", seed, round, len(got), len(want))
		}
	}
}

// Counting copies change by change gives the same result as counting all records.
func TestTheCopiesOfANodeAreThoseOfAllIndexes(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 2))
	c := newCatalog()
	for round := range 500 {
		l := newLayer(c)
		for range r.IntN(5) {
			name := fmt.Sprint("index ", r.IntN(30))
			x, ok := l.Index(name)
			if ok && r.IntN(4) == 0 {
				l.dropIndex(x)
				continue
			}
			next := &wire.Index{ID: l.nextIndex, UID: name, Shards: make([]wire.Shard, r.IntN(4))}
			if ok {
				next.ID = x.ID
			}
			for i := range next.Shards {
				for range r.IntN(4) {
					next.Shards[i].Replicas = append(next.Shards[i].Replicas, wire.Replica{Node: wire.NodeID(fmt.Sprint("node ", r.IntN(4)))})
				}
			}
			l.putIndex(next)
		}
		c = l.over(c)
		want := map[wire.NodeID]int{}
		for _, x := range c.Indexes() {
			for i := range x.Shards {
				for _, replica := range x.Shards[i].Replicas {
					want[replica.Node]++
				}
			}
		}
		if got := c.Copies(); !maps.Equal(got, want) {
			t.Fatalf("seed %d, round %d: %v are counted of %v", seed, round, got, want)
		}
	}
}

// The changes since a catalogue are the differences from it, whatever the number of
// catalogues between.
func TestChangedSinceListsEveryDifference(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 5))
	past := []*Catalog{newCatalog()}
	for round := range 500 {
		c := past[len(past)-1]
		l := newLayer(c)
		for range r.IntN(4) {
			l.change(r, fmt.Sprint("index ", r.IntN(600)))
		}
		c = l.over(c)
		earlier := past[r.IntN(len(past))]
		var want []*wire.Index
		for id := range c.NextIndexID() {
			x, ok := c.IndexByID(id)
			if old, had := earlier.IndexByID(id); ok && (!had || old != x) {
				want = append(want, x)
			}
		}
		if got, ok := c.ChangedSince(earlier); !ok || !slices.Equal(got, want) {
			t.Fatalf("seed %d, round %d: %d records have changed, %d are told", seed, round, len(want), len(got))
		}
		past = append(past, c)
	}
}

// BenchmarkChangesOfTenThousand measures how a node finds the changed indexes after each
// change.
func BenchmarkChangesOfTenThousand(b *testing.B) {
	l := newLayer(newCatalog())
	for i := range 10_000 {
		l.putIndex(&wire.Index{ID: uint32(i + 1), UID: fmt.Sprintf("tenant-%05d", i)})
	}
	before := l.over(newCatalog())
	l = newLayer(before)
	l.putIndex(&wire.Index{ID: 5000, UID: "tenant-04999", Version: 1})
	after := l.over(before)
	for b.Loop() {
		if changed, _ := after.ChangedSince(before); len(changed) != 1 {
			b.Fatal("one has changed")
		}
	}
}

// BenchmarkListingAfterAChange measures what each node does after each change of an index.
func BenchmarkListingAfterAChange(b *testing.B) {
	c, l := newCatalog(), newLayer(newCatalog())
	for i := range 10_000 {
		l.putIndex(&wire.Index{ID: uint32(i + 1), UID: fmt.Sprintf("tenant-%05d", i*7919%10_000)})
	}
	c = l.over(c)
	c.Indexes()
	for i := 0; b.Loop(); i++ {
		l := newLayer(c)
		x, _ := c.Index(fmt.Sprintf("tenant-%05d", i%10_000))
		l.putIndex(&wire.Index{ID: x.ID, UID: x.UID, Version: x.Version + 1})
		if c = l.over(c); len(c.Indexes()) != 10_000 {
			b.Fatal("an index is missing")
		}
	}
}
