package clustertest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// Status is the answer of GET /cluster/status, reduced to the members that tests need.
type Status struct {
	ClusterID string `json:"clusterId"`
	Leader    string `json:"leader"`
	Term      uint64 `json:"term"` // 0 on a node that does not lead
	Healthy   bool   `json:"healthy"`
	Nodes     []struct {
		Name  string `json:"name"`
		Alive bool   `json:"alive"`
		Votes bool   `json:"votes"`
	} `json:"nodes"`
	Indexes []IndexStatus `json:"indexes"`
}

// IndexStatus is the placement of one index.
type IndexStatus struct {
	UID           string `json:"uid"`
	ReplicaGoal   int    `json:"replicaGoal"`
	ReplicaReason string `json:"replicaReason"`
	Shards        []struct {
		Documents uint64 `json:"documents"`
		Replicas  []struct {
			Name  string `json:"name"`
			State string `json:"state"`
			Alive bool   `json:"alive"`
		} `json:"replicas"`
	} `json:"shards"`
}

// Status asks a node for the state of the cluster.
func (n *Node) Status(ctx context.Context) (*Status, error) {
	status, b, err := n.Do(ctx, "GET", "/cluster/status", nil)
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("status of %s: %d %s", n.Name, status, b)
	}
	s := new(Status)
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("status of %s: %s: %w", n.Name, b, err)
	}
	return s, nil
}

// Voters counts the members that have a vote.
func (s *Status) Voters() int {
	n := 0
	for _, o := range s.Nodes {
		if o.Votes {
			n++
		}
	}
	return n
}

// Holds tells whether a node has a replica of any shard.
func (s *Status) Holds(node string) bool {
	for _, x := range s.Indexes {
		for _, shard := range x.Shards {
			for _, r := range shard.Replicas {
				if r.Name == node {
					return true
				}
			}
		}
	}
	return false
}

// Holders are the nodes that hold each shard of an index in sync.
func (s *Status) Holders(index string) [][]string {
	var out [][]string
	for _, x := range s.Indexes {
		if x.UID != index {
			continue
		}
		for _, shard := range x.Shards {
			var names []string
			for _, r := range shard.Replicas {
				if r.State == "inSync" {
					names = append(names, r.Name)
				}
			}
			out = append(out, names)
		}
	}
	return out
}
