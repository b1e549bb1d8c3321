package placement

import (
	"slices"
	"testing"

	"shoal/wire"
)

// A damaged replica is not in sync until it was fetched again, and the log says so. The last
// replica in sync stays so, whatever it has lost.
func TestADamagedReplicaLeavesTheInSyncSetUntilItWasCopied(t *testing.T) {
	f := newFleet("n1", "n2", "n3")
	x := f.newIndex(t, "a", Placement{})
	f.settle(t)
	f.publish(t, x)
	f.settle(t)
	if got := f.replicas(x.ID, 0); got != "n1+ n2+" {
		t.Fatalf("placed on %s", got)
	}
	key := wire.ShardKey{IndexID: x.ID}
	f.peers["n2"].damaged = []wire.ShardKey{key}
	f.followers["n2"].Pass(t.Context())
	if got := f.replicas(x.ID, 0); got != "n1+ n2~" {
		t.Errorf("with damage on n2: %s", got)
	}
	f.settle(t)
	if got := f.replicas(x.ID, 0); got != "n1+ n2+" || len(f.peers["n2"].damaged) > 0 {
		t.Errorf("after the copy: %s, damaged %v", got, f.peers["n2"].damaged)
	}
	if !slices.Equal(f.peers["n1"].chain[key], f.peers["n2"].chain[key]) {
		t.Errorf("n1 has %v, n2 %v", f.peers["n1"].chain[key], f.peers["n2"].chain[key])
	}

	f.down["n2"] = true
	f.publish(t, x) // leaves only n1 in sync
	f.peers["n1"].damaged = []wire.ShardKey{key}
	f.followers["n1"].Pass(t.Context())
	f.followers["n1"].Workers.Wait()
	if got := f.replicas(x.ID, 0); got != "n1+ n2~" || len(f.peers["n1"].damaged) != 1 {
		t.Errorf("damage of the last copy: %s, damaged %v", got, f.peers["n1"].damaged)
	}
}
