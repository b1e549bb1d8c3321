package node

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/coordinator/placement"
	"shoal/node/explain"
	"shoal/node/report"
	"shoal/node/view"
	"shoal/wire"
)

// clusterPort answers the routes under /cluster.
type clusterPort struct {
	*placement.Cluster
	*report.Reports
	standby
	leader *view.Leader
}

// clusterStatus is the answer of GET /cluster/status: the content of the catalogue, and the
// leader.
type clusterStatus struct {
	Leader string `json:"leader"` // name, "" if no answering leader is known
	Term   uint64 `json:"term"`   // 0 on a node that does not lead
	// Votes says on how many disks an acknowledged write is.
	Votes votesStatus `json:"votes"`
	placement.ClusterStatus
	// Snapshots is the bucket or folder of backups; "" means the --snapshot-dir of the
	// leader.
	Snapshots string `json:"snapshots"`
	// Standby names the cluster that this one follows or followed, nil for none.
	Standby *standbyStatus `json:"standby,omitempty"`
}

// Status is the state of nodes and shards as a JSON object.
func (c *clusterPort) Status(ctx context.Context) (json.RawMessage, error) {
	v := c.view.Now(ctx)
	var work placement.Work
	var lags map[wire.NodeID]uint64
	if v.Leader != "" {
		var asking sync.WaitGroup
		asking.Go(func() { work = c.leader.Work(ctx) })
		asking.Go(func() { lags = c.leader.Lags(ctx) })
		asking.Wait()
	}
	st := clusterStatus{ClusterStatus: *c.Cluster.Status(v, work), Leader: string(v.Leader)}
	if d, ok := v.Catalog.Node(v.Leader); ok {
		st.Leader = d.Name
	}
	if c.repository != nil {
		st.Snapshots = c.repository.String()
	}
	st.Term, _ = c.group.Leading()
	st.Standby = c.status()
	st.Votes = countVotes(len(v.Voters), v.Votes, v.Heir())
	for i := range st.Nodes {
		st.Nodes[i].Votes = slices.Contains(v.Voters, st.Nodes[i].ID)
		if lag, ok := lags[st.Nodes[i].ID]; ok && st.Nodes[i].Alive {
			st.Nodes[i].Lag = &lag
		}
	}
	slices.SortFunc(st.Nodes, func(a, b placement.NodeStatus) int { return cmp.Compare(a.Name, b.Name) })
	return json.Marshal(&st)
}

// votesStatus says how many nodes vote, and what that means for writes.
type votesStatus struct {
	Held   int    `json:"held"`   // nodes that vote now
	Kept   int    `json:"kept"`   // votes that the cluster aims at, 0 until the leader has recorded it
	Needed int    `json:"needed"` // voters that must have a write on disk before it is acknowledged
	Says   string `json:"says"`
}

func countVotes(held, kept int, heir string) votesStatus {
	v := votesStatus{Held: held, Kept: kept, Needed: wire.Majority(held)}
	switch {
	case held <= 1:
		v.Says = "one node votes: a write is acknowledged once it is on the disk of that node"
	case held == 2:
		v.Says = "2 nodes vote: a write needs both of them, and waits while one is away"
	default:
		v.Says = fmt.Sprintf("%d nodes vote: a write needs %d of them", held, v.Needed)
	}
	if held < kept {
		v.Says += fmt.Sprintf("; %d should vote: %s", kept, placement.Succession(heir))
	}
	return v
}

// RemoveNode removes a node, by name or id, from the cluster for good. Its copies must have
// been moved off first (drain). Unless forced, it refuses while the node has the only copy
// of something.
func (c *clusterPort) RemoveNode(ctx context.Context, name string, force bool) (json.RawMessage, error) {
	if err := c.group.Barrier(ctx); err != nil {
		return nil, err
	}
	d, err := c.members.Named(name)
	if err != nil {
		return nil, err
	}
	if only := wire.OnlyHolder(c.group.Catalog().Indexes(), d.ID, c.answersNow); len(only) > 0 && !force {
		return nil, apierr.New(apierr.CodeBadRequest, fmt.Sprintf(
			"Node `%s` has the only copy that answers of %s: drain it first and wait until `status` shows no copies on it, or lose them with `?force=true`.", name, listed(only)))
	}
	if err := c.group.Remove(ctx, d.ID); err != nil {
		return nil, err
	}
	return c.Status(ctx)
}

// listed names the first few indexes of a list.
func listed(uids []string) string {
	const shown = 5
	text := "index `" + strings.Join(uids[:min(shown, len(uids))], "`, `") + "`"
	if more := len(uids) - shown; more > 0 {
		text += fmt.Sprintf(" and %d others", more)
	}
	return text
}

// Explain says how a query was understood, which buckets each rule made, and why the hits
// rank as they do: for each hit the verdict of every rule, in the order in which the rules
// decide.
func (c *clusterPort) Explain(ctx context.Context, uid, q string, limit uint64) (string, error) {
	r := api.NewSearchRequest()
	r.Q, r.Limit, r.ShowRankingScore, r.ShowRankingScoreDetails = &q, limit, true, true
	e, err := c.search.Explain(ctx, uid, r)
	if err != nil {
		return "", err
	}
	return explain.Text(uid, q, e)
}

// State is what the cluster can do, as a JSON object.
func (c *clusterPort) State(ctx context.Context) (json.RawMessage, error) {
	return json.Marshal(placement.StateOf(c.placement, c.view.Now(ctx)))
}
