package replica

import (
	"context"
	"errors"

	"shoal/coordinator"
	"shoal/wire"
)

// PinNewest pins a read of one shard to the newest delta in the given record of the index.
func PinNewest(x *wire.Index, s *wire.Shard) wire.PinnedIndex {
	p := wire.PinnedIndex{
		Key: wire.ShardKey{IndexID: x.ID, Shard: s.Number}, Version: x.Version,
		Generations: x.Generations, SettingsVersion: x.SettingsVersion,
	}
	if n := len(s.Deltas); n > 0 {
		p.DeltaID = s.Deltas[n-1].ID
	}
	if x.PrimaryKey != nil {
		p.PrimaryKey = *x.PrimaryKey
	}
	return p
}

// InSync lists the nodes to ask for a shard: self first, then the others, starting at position
// from of the list. Nodes that seem not to answer come last.
func InSync(shards coordinator.Shards, s *wire.Shard, self wire.NodeID, from int) []wire.NodeID {
	var first, others, last []wire.NodeID
	n := len(s.Replicas)
	for i := range n {
		r := &s.Replicas[(i+from)%n]
		switch {
		case r.State != wire.InSync:
		case r.Node == self:
			first = append(first, r.Node)
		case shards.Suspect(r.Node):
			last = append(last, r.Node)
		default:
			others = append(others, r.Node)
		}
	}
	return append(append(first, others...), last...)
}

// Ask calls the in-sync replicas of a shard one after the other, this node's first, until one
// answers. It skips replicas that are away, behind or do not hold the shard. Any other error is
// returned, including wire.ErrGone: the caller must restart with the newest catalogue.
func Ask[R any](ctx context.Context, shards coordinator.Shards, self wire.NodeID, s *wire.Shard, call func(wire.NodeID) (R, error)) (R, error) {
	var none R
	last := wire.ErrUnavailable
	for _, node := range InSync(shards, s, self, 0) {
		if err := ctx.Err(); err != nil {
			return none, err
		}
		reply, err := call(node)
		if err == nil || !Failed(err) {
			return reply, err
		}
		last = err
	}
	return none, last
}

// Failed tells whether an error concerns one replica, so that another one may succeed, and not
// the request.
func Failed(err error) bool {
	for _, c := range []error{wire.ErrBehind, wire.ErrUnavailable, wire.ErrNoShard, wire.ErrClosed} {
		if errors.Is(err, c) {
			return true
		}
	}
	return false
}

// PinVersion pins a request to the state of a shard at the version of x.
func PinVersion(x *wire.Index, shard *wire.Shard) wire.PinnedIndex {
	p := wire.PinnedIndex{
		Key: wire.ShardKey{IndexID: x.ID, Shard: shard.Number}, Version: x.Version,
		Generations: x.Generations, SettingsVersion: x.SettingsVersion,
	}
	for i := len(shard.Deltas) - 1; i >= 0; i-- {
		if shard.Deltas[i].Version == x.Version {
			p.DeltaID = shard.Deltas[i].ID
			break
		}
	}
	if x.PrimaryKey != nil {
		p.PrimaryKey = *x.PrimaryKey
	}
	return p
}
