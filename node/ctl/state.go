package ctl

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// state is the part of GET /cluster/status that commands read.
type state struct {
	ClusterID string `json:"clusterId"`
	Leader    string `json:"leader"`
	State     struct {
		Level string `json:"level"` // "" from an older program
		Says  string `json:"says"`
	} `json:"state"`
	Votes struct {
		Held int    `json:"held"`
		Kept int    `json:"kept"`
		Says string `json:"says"`
	} `json:"votes"`
	Nodes []nodeState `json:"nodes"`
	// Zones are empty while zones do not count, and from an older program.
	Zones []struct {
		Name     string `json:"name"`
		Nodes    int    `json:"nodes"`
		Alive    int    `json:"alive"`
		Votes    int    `json:"votes"`
		OnlyHere int    `json:"onlyHere"`
	} `json:"zones"`
	Indexes []struct {
		UID       string       `json:"uid"`
		Version   uint64       `json:"version"`
		Documents uint64       `json:"documents"`
		Shards    []shardState `json:"shards"`
		Plan      string       `json:"plan"`
		// ReplicaReason is "" of a program that does not tell.
		ReplicaReason string `json:"replicaReason"`
	} `json:"indexes"`
	// Snapshots is the bucket or folder of backups, "" if the leader keeps them.
	Snapshots string `json:"snapshots"`
	// Waits says what the cluster's work is waiting for.
	Waits []string `json:"waits"`
	// Decisions are the newest decisions about the placement of copies, oldest first.
	Decisions []struct {
		At     time.Time `json:"at"`
		Reason string    `json:"reason"`
	} `json:"decisions"`
}

type nodeState struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	HTTP     string  `json:"http"`
	Zone     string  `json:"zone"`
	Data     bool    `json:"data"`
	Voter    bool    `json:"voter"`
	Votes    bool    `json:"votes"`
	Draining bool    `json:"draining"`
	Alive    bool    `json:"alive"`
	Replicas int     `json:"replicas"`
	InSync   int     `json:"inSync"`
	Lag      *uint64 `json:"lag"`
}

type shardState struct {
	Number    uint16 `json:"number"`
	Documents uint64 `json:"documents"`
	Bytes     uint64 `json:"bytes"`
	Replicas  []struct {
		Node  string `json:"node"`
		Name  string `json:"name"`
		State string `json:"state"`
		Alive bool   `json:"alive"`
	} `json:"replicas"`
}

func (c *client) state(ctx context.Context) (*state, error) {
	var s state
	return &s, c.call(ctx, http.MethodGet, "/cluster/status", nil, &s)
}

// member returns the cluster, its state, and a member by name or id.
func (r *Remote) member(ctx context.Context, name string) (*client, *state, *nodeState, error) {
	c, err := r.open()
	if err != nil {
		return nil, nil, nil, err
	}
	s, err := c.state(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	n, ok := s.node(name)
	if !ok {
		return nil, nil, nil, Usage{fmt.Errorf("%s is not a member: 'shoal status' lists them", name)}
	}
	return c, s, n, nil
}

// node finds a member by name or id.
func (s *state) node(name string) (*nodeState, bool) {
	for i := range s.Nodes {
		if s.Nodes[i].Name == name || s.Nodes[i].ID == name {
			return &s.Nodes[i], true
		}
	}
	return nil, false
}

// bytesOn is the size of the documents in a node's copies, in bytes.
func (s *state) bytesOn(id string) (total uint64) {
	for _, x := range s.Indexes {
		for _, sh := range x.Shards {
			for _, r := range sh.Replicas {
				if r.Node == id {
					total += sh.Bytes
				}
			}
		}
	}
	return total
}
