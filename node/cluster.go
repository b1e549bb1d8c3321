package node

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"shoal/api"
	"shoal/coordinator"
	"shoal/wire"
)

// clusterPort answers the routes under /cluster.
type clusterPort struct {
	*coordinator.Cluster
	n *Node
}

// clusterStatus is the answer of GET /cluster/status: what the catalogue knows,
// and who leads.
type clusterStatus struct {
	Leader string `json:"leader"` // name, "" when none is known
	Term   uint64 `json:"term"`   // 0 on a node that does not lead
	coordinator.ClusterStatus
}

// Status is the state of nodes and shards as a JSON object.
func (c clusterPort) Status(ctx context.Context) (json.RawMessage, error) {
	raw, err := c.Cluster.Status(ctx)
	if err != nil {
		return nil, err
	}
	var st clusterStatus
	if err := json.Unmarshal(raw, &st.ClusterStatus); err != nil {
		return nil, fmt.Errorf("status of the cluster: %w", err)
	}
	if id, ok := c.n.group.Leader(); ok {
		st.Leader = string(id)
		if d, ok := c.n.group.Catalog().Node(id); ok {
			st.Leader = d.Name
		}
	}
	st.Term, _ = c.n.group.Leading()
	voters := c.n.group.Stats().Voters
	lags := c.n.lags(ctx)
	for i := range st.Nodes {
		st.Nodes[i].Votes = slices.Contains(voters, st.Nodes[i].ID)
		if lag, ok := lags[st.Nodes[i].ID]; ok && st.Nodes[i].Alive {
			st.Nodes[i].Lag = &lag
		}
	}
	slices.SortFunc(st.Nodes, func(a, b coordinator.NodeStatus) int { return cmp.Compare(a.Name, b.Name) })
	return json.Marshal(&st)
}

// alive tells whether a node answers, as far as gossip sees.
func (n *Node) alive(id wire.NodeID) bool { return id == n.self.ID || n.gossip.Alive(id) }

// RemoveNode takes a node out of the cluster for good. Its copies must have been
// moved off it first (drain), unless it is gone already.
func (c clusterPort) RemoveNode(ctx context.Context, name string) (json.RawMessage, error) {
	cat := c.n.group.Catalog()
	for _, d := range cat.Nodes() {
		if d.Name != name && string(d.ID) != name {
			continue
		}
		if err := c.n.group.Remove(ctx, d.ID); err != nil {
			return nil, err
		}
		return c.Status(ctx)
	}
	return nil, api.NewError(api.CodeBadRequest, "Node `"+name+"` is not a member of the cluster.")
}
