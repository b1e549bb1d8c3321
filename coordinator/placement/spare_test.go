package placement

import (
	"testing"

	"shoal/coordinator/coordtest"
	"shoal/wire"
)

// A regression test: an index on two nodes had one copy, and lost its second one when one of
// three nodes was removed.
func TestTheNumberOfCopiesFollowsTheVoters(t *testing.T) {
	names := []string{"n1", "n2", "n3", "n4", "n5", "n6"}
	for n, want := range []int{1: 1, 2: 2, 3: 2, 4: 2, 5: 3, 6: 3} {
		if n == 0 {
			continue
		}
		c := coordtest.NewLog(names[:n]...).State
		if got := (Placement{}).Goal(c, &wire.Index{}); got != want {
			t.Errorf("%d nodes: %d copies, want %d", n, got, want)
		}
	}
	c := coordtest.NewLog(names[:2]...).State
	if got := (Placement{}).Goal(c, &wire.Index{ReplicaGoal: 1}); got != 1 {
		t.Errorf("one copy was asked for, and there are %d", got)
	}
}
