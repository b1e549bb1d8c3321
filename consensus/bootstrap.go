package consensus

import (
	"fmt"

	"github.com/hashicorp/raft"

	"shoal/consensus/raftlog"
	"shoal/consensus/state"
)

// bootstrap writes the first entry of a new cluster, its configuration, if Config asks
// for it and this node has no state. lowest is true if it did so and no other member has
// a lower id.
func (g *Group) bootstrap(conf *raft.Config, snaps *state.Snapshots) (lowest bool, err error) {
	exists, err := raft.HasExistingState(g.cache, g.logs.Stable, snaps)
	if err != nil {
		return false, fmt.Errorf("read the log: %w", err)
	}
	if len(g.cfg.Bootstrap) == 0 {
		return false, nil
	}
	var voters raft.Configuration
	lowest = true
	for _, id := range g.cfg.Bootstrap {
		voters.Servers = append(voters.Servers, raft.Server{
			Suffrage: raft.Voter, ID: raft.ServerID(id), Address: raftlog.AddressOf(id),
		})
		lowest = lowest && id >= g.cfg.NodeID
	}
	if !exists {
		err = raft.BootstrapCluster(conf, g.cache, g.logs.Stable, snaps, g.transport, voters)
	} else if exists, err = g.begun(snaps); err == nil && !exists {
		err = g.cache.StoreLog(&raft.Log{Index: 1, Term: 1, Type: raft.LogConfiguration, Data: raft.EncodeConfiguration(voters)})
	}
	if err != nil {
		return false, fmt.Errorf("form the cluster: %w", err)
	}
	return lowest && !exists, nil
}

// begun tells whether a log that is not new has its first entry, or had it. raft writes
// term 1 and then that entry. A process that ends between the two, for instance by a power
// failure, leaves a node that would wait for a leader for ever. A node that voted, or knows
// a later term, has taken part in a cluster, and that cluster takes care of it.
func (g *Group) begun(snaps *state.Snapshots) (bool, error) {
	last, err := g.cache.LastIndex()
	if err != nil || last > 0 {
		return true, err
	}
	list, err := snaps.List()
	if err != nil || len(list) > 0 {
		return true, err
	}
	term, err := g.logs.Stable.GetUint64([]byte("CurrentTerm"))
	return term != 1, err
}
