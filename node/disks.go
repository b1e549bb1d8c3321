package node

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"shoal/coordinator"
	"shoal/node/peer"
	"shoal/wire"
	"shoal/wire/await"
)

// disksEvery is how often the leader asks how full the disks of the members are.
const disksEvery = 15 * time.Second

// disks are those of all members, as the leader sees them. Safe for concurrent use.
type disks struct {
	full atomic.Pointer[map[wire.NodeID]bool]
}

// isFull tells whether the disk of a member is nearly full. Of those that do not answer, and
// on a node that does not lead, it is not known to be.
func (d *disks) isFull(id wire.NodeID) bool {
	full := d.full.Load()
	return full != nil && (*full)[id]
}

// watchMembersDisks looks at the disks of all members while this node leads, until ctx ends.
func (n *Node) watchMembersDisks(ctx context.Context) {
	for {
		full := map[wire.NodeID]bool{}
		if _, leads := n.group.Leading(); leads {
			full = n.fullDisks(ctx)
		}
		n.disks.full.Store(&full)
		if !coordinator.Sleep(ctx, await.Until(disksEvery)) {
			return
		}
	}
}

// fullDisks asks all members that tell the size of their disk.
func (n *Node) fullDisks(ctx context.Context) map[wire.NodeID]bool {
	ctx, cancel := context.WithTimeout(ctx, activityWithin)
	defer cancel()
	nodes := n.group.Catalog().Nodes()
	full := make([]bool, len(nodes))
	var asking sync.WaitGroup
	for i, d := range nodes {
		if d.Disk == 0 {
			continue
		}
		asking.Go(func() {
			free, known := n.freeOn(ctx, d.ID)
			full[i] = known && nearlyFull(free, d.Disk)
		})
	}
	asking.Wait()
	found := map[wire.NodeID]bool{}
	for i, d := range nodes {
		found[d.ID] = full[i]
	}
	return found
}

// freeOn is how many bytes the disk of a member has left; false when it does not answer.
func (n *Node) freeOn(ctx context.Context, id wire.NodeID) (free uint64, known bool) {
	if id == n.self.ID {
		free, size := n.space()
		return free, size > 0
	}
	a, err := peer.Call[activityRequest, activity](ctx, n.link, id, methodActivity, &activityRequest{})
	if err != nil {
		return 0, false
	}
	return a.DiskFree, true
}
