package shard

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/docset"
	"shoal/shard/rows"
	"shoal/wire"
)

// Half of the documents are replaced by others, a hundred times. Rows stay dense, the order
// is that of the ordinals. The ordinals are from the whole
// range, so that they are in no order.
func TestRowsStayDenseWhileDocumentsComeAndGo(t *testing.T) {
	const documents, half = 120, 60
	r := rand.New(rand.NewPCG(30, 1))
	w := newWorld(t, openHost(t, vfs.NewMem()))
	w.numbers, w.random, w.ordinalsBelow = map[uint32]uint32{}, r, rows.None
	var ids []int
	next := 0
	added := func(n int) wire.Op {
		before, docs := w.taken(), make([]string, n)
		for i := range docs {
			docs[i] = fmt.Sprintf(`{"id":%d,"a":"word%d"}`, next, next%7)
			w.put(before, docs[i], false)
			ids, next = append(ids, next), next+1
		}
		return add(t, docs...)
	}
	w.commit(added(documents))
	for round := range 100 {
		r.Shuffle(len(ids), func(i, k int) { ids[i], ids[k] = ids[k], ids[i] })
		gone := make([]string, half)
		for i, id := range ids[:half] {
			gone[i] = fmt.Sprint(id)
			delete(w.docs, gone[i])
		}
		ids = ids[half:]
		w.commit(wire.Op{Kind: wire.OpDeleteIDs, IDs: gone})
		w.commit(added(half))
		if round%10 == 0 {
			w.check()
		}
		v := w.view()
		live, order := v.Live(), v.Order()
		if last, _ := live.Max(); last != documents-1 || live.Len() != documents {
			t.Fatalf("round %d: %d documents have rows up to %d", round, live.Len(), last)
		}
		checkOrder(t, order, live)
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
	}
	w.check()
	w.close()
}

// checkOrder compares the first documents of a set, and of a part of it, with a sort.
func checkOrder(t *testing.T, order *rows.Order, set docset.Set) {
	t.Helper()
	want := set.AppendTo(nil)
	slices.SortFunc(want, order.Compare)
	for _, n := range []int{1, 7, len(want)} {
		if got := order.First(set, n); !slices.Equal(got, want[:n]) {
			t.Fatalf("the first %d documents are %v, want %v", n, got, want[:n])
		}
	}
	middle := order.Ordinal(want[len(want)/2])
	if got := order.Sorted(order.From(set, middle)); !slices.Equal(got, want[len(want)/2:]) {
		t.Fatalf("from ordinal %d on: %v, want %v", middle, got, want[len(want)/2:])
	}
	if !order.Ascending() {
		return
	}
	t.Fatal("random ordinals ascend")
}
