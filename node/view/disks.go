package view

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"shoal/node/poll"
	"shoal/wire"
	"shoal/wire/await"
)

// disksEvery is how often the leader asks how full the disks of the members are.
const disksEvery = 15 * time.Second

// Disks are those of all members, as the leader sees them. Safe for concurrent use.
type Disks struct {
	full atomic.Pointer[map[wire.NodeID]bool]
}

// Full tells whether the disk of a member is nearly full. Of those that do not answer, and
// on a node that does not lead, it is not known to be.
func (d *Disks) Full(id wire.NodeID) bool {
	full := d.full.Load()
	return full != nil && (*full)[id]
}

// Watch looks at the disks of all members while this node leads, until ctx ends. free asks
// members how many bytes their disks have left, nil for one that does not answer.
func (d *Disks) Watch(ctx context.Context, m *poll.Members, free func(context.Context, []*wire.Node) []*uint64) {
	for {
		full := map[wire.NodeID]bool{}
		if _, leads := m.Group.Leading(); leads {
			nodes := slices.DeleteFunc(slices.Clone(m.Nodes()), func(n *wire.Node) bool { return n.Disk == 0 })
			for i, left := range free(ctx, nodes) {
				full[nodes[i].ID] = left != nil && nearlyFull(*left, nodes[i].Disk)
			}
		}
		d.full.Store(&full)
		if await.Sleep(ctx, await.Until(disksEvery)) != nil {
			return
		}
	}
}
