package node

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"shoal/coordinator/placement"
	"shoal/wire"
)

// view is what this node sees of its cluster now: it asks all members at once for a sign of
// life. It takes at most peer.SignWithin plus askWithin, and that long only while a member
// hangs.
func (n *Node) view(ctx context.Context) *placement.View {
	fresh, _ := n.group.Lease() // read before the catalogue, because it vouches for later reads
	cat := n.group.Catalog()
	v := &placement.View{Catalog: cat, Fresh: fresh, Answers: n.answering(ctx, cat.Nodes()), Voters: n.group.Stats().Voters, Votes: cat.Votes()}
	if id, ok := n.group.Leader(); ok && v.Answers[id] {
		v.Leader = id
	}
	if tasks := n.group.Pending(); len(tasks) > 0 {
		v.Waited = n.group.Now().Sub(time.Unix(0, tasks[0].EnqueuedAt))
	}
	v.Damage, v.Told = n.damage(ctx, v.Answers)
	return v
}

// answering asks nodes for signs of life and returns which ones answered.
func (n *Node) answering(ctx context.Context, nodes []*wire.Node) map[wire.NodeID]bool {
	answers := make([]bool, len(nodes))
	var asking sync.WaitGroup
	for i, d := range nodes {
		asking.Go(func() { answers[i] = d.ID == n.self.ID || n.link.Answers(ctx, d.ID) })
	}
	asking.Wait()
	found := make(map[wire.NodeID]bool, len(nodes))
	for i, d := range nodes {
		found[d.ID] = answers[i]
	}
	return found
}

// state is what the cluster can do, as seen by this node.
func (n *Node) state(ctx context.Context) placement.State {
	return placement.StateOf(n.placement(), n.view(ctx))
}

// placement is the number of shards and copies that this node plans.
func (n *Node) placement() placement.Placement {
	return placement.Placement{Shards: n.cfg.DefaultShards, Replicas: n.cfg.DefaultReplicas, Full: n.disks.isFull}
}

// State is what the cluster can do, as a JSON object.
func (c clusterPort) State(ctx context.Context) (json.RawMessage, error) {
	return json.Marshal(c.n.state(ctx))
}
