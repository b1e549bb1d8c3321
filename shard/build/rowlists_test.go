package build

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestOrdinalListsKeepWhatWasAdded(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	var lists rowLists
	want := make([][]uint32, 300)
	for i := range uint32(200_000) {
		number := uint32(r.IntN(1 + r.IntN(len(want)))) // some are long
		switch list := &want[number]; {
		case r.IntN(5) > 0:
			lists.add(number, i)
			*list = append(*list, i)
		case len(*list) > 0 && r.IntN(2) == 0:
			last := (*list)[len(*list)-1]
			if lists.drop(number, last+1) {
				t.Fatalf("%d was dropped for %d", last, last+1)
			}
			if !lists.drop(number, last) {
				t.Fatalf("%d is not dropped", last)
			}
			*list = (*list)[:len(*list)-1]
		case lists.drop(number, i):
			t.Fatalf("%d is dropped, which was never added", i)
		}
	}
	for number, list := range want {
		if got := lists.appendTo(nil, uint32(number)); !slices.Equal(got, list) || lists.len(uint32(number)) != len(list) {
			t.Errorf("list %d has %d ordinals, %d as it says, want %d", number, len(got), lists.len(uint32(number)), len(list))
		}
	}
	if lists.len(1<<20) != 0 || len(lists.appendTo(nil, 1<<20)) > 0 || lists.drop(1<<20, 1) {
		t.Error("a list that nothing was added to has something")
	}
}
