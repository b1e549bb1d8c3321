package node

import (
	"context"
	"fmt"
	"slices"
	"time"

	"shoal/consensus"
	"shoal/wire"
	"shoal/wire/await"
)

// told receives the leader's verdict about this node's membership. A node that was removed,
// or whose name another node has taken, ends and says what to do.
func (n *Node) told(v *consensus.Verdict) {
	switch {
	case v.Removed != nil:
		n.fail(removedError(n.cfg.Name, n.folder.Path, v.Removed))
	case v.Taken != nil:
		n.fail(fmt.Errorf("another node of the cluster has the name %q and runs at %s: give this node another --name (its data folder %s is of no use to the cluster yet)",
			n.cfg.Name, v.Taken.PeerAddr, n.folder.Path))
	case v.Waits != "":
		n.heldBack.Store(&v.Waits)
	}
}

func removedError(name, folder string, r *wire.Removal) error {
	at := time.Unix(0, r.At).UTC().Format(time.RFC3339)
	if r.By != "" {
		return fmt.Errorf("this node (%s) was replaced at %s by one that started under its name with another data folder; data folder %s stays out of the cluster for good: leave this one stopped, or start it with an empty folder under another --name",
			name, at, folder)
	}
	return fmt.Errorf("this node (%s) was removed from the cluster at %s (DELETE /cluster/nodes/%s); data folder %s stays out for good: to let this machine in again, start it with an empty folder",
		name, at, name, folder)
}

// lost tells whether this node's cluster was recovered without another node.
func (n *Node) lost(id wire.NodeID) bool {
	g := n.grouped.Load()
	return g != nil && g.Lost(id)
}

// bar refuses calls of lost nodes, because they speak for another cluster.
func (n *Node) bar(id wire.NodeID, method string) error {
	if method == methodHello || method == methodForm || !n.lost(id) {
		return nil
	}
	return fmt.Errorf("cluster %s was recovered without this node: %w", n.cluster(), wire.ErrUnavailable)
}

func leftBehind(name, folder, from, to string, by wire.Node) error {
	return fmt.Errorf("this node (%s) belongs to cluster %s, which was recovered without it as cluster %s (now on %s at %s): data folder %s stays out for good; keep it aside if you miss documents, and start this node with an empty folder: it joins by itself",
		name, from, to, by.Name, by.PeerAddr, folder)
}

// arrive waits until a new node has the state that its cluster has now.
func (n *Node) arrive(ctx context.Context) {
	for n.group.Barrier(ctx) != nil {
		if await.Sleep(ctx, arriveEvery) != nil {
			return
		}
	}
	n.arrived.Store(true)
}

// outside says why this node has never had the state of its cluster, "" once it had.
func (n *Node) outside() string {
	switch {
	case n.arrived.Load():
		return ""
	case len(n.voters) > 0:
		return "it has no state of its cluster yet, and waits for a leader"
	}
	return outsideStill
}

// joinsItself tells whether --join leads to no other node.
func (n *Node) joinsItself() bool {
	return len(n.cfg.InitMembers) == 0 && !slices.ContainsFunc(n.cfg.Join, func(addr string) bool { return addr != n.self.GossipAddr })
}

// outsideStill is what a node says that joins a cluster.
const outsideStill = "it waits to be let into its cluster (its log says why)"

// arriveEvery is the pause between the questions of a new node whether it is up to date.
const arriveEvery = 50 * time.Millisecond

// awaitAdmission logs that a joining node waits for admission, until it is admitted.
func (n *Node) awaitAdmission(ctx context.Context) {
	began := time.Now()
	tick := time.NewTicker(waitEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n.group.Catalog().ClusterID() != "" {
			return
		}
		why := "no leader has answered yet"
		if tried := n.gossip.Unreached(); tried != "" {
			why = "no other node answers: " + tried
		} else if n.joinsItself() {
			why = "--join names only this node itself: give it the --gossip-addr of another member"
		}
		if id, ok := n.group.Leader(); ok {
			why = "the leader, " + string(id) + ", has not sent its log yet"
		}
		if said := n.heldBack.Load(); said != nil {
			why = *said
		}
		n.awaits(outsideStill)
		n.log.Warn("waiting to be let into the cluster", "why", why, "for", time.Since(began).Round(time.Second).String())
	}
}
