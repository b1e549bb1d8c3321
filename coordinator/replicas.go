package coordinator

import (
	"context"
	"errors"

	"shoal/wire"
)

// pinIndex says what a read of one shard reads: the index as the catalogue in
// hand has it.
func pinIndex(x *wire.Index, s *wire.Shard) wire.PinnedIndex {
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

// askReplica calls one in-sync replica of a shard after the other, this node's
// first, until one answers. A replica that is away, behind or does not hold the
// shard is passed over; any other error is the answer. wire.ErrGone is one: the
// caller restarts with the newest catalogue.
func askReplica[R any](ctx context.Context, self wire.NodeID, s *wire.Shard, call func(wire.NodeID) (R, error)) (R, error) {
	var none R
	last := error(wire.ErrUnavailable)
	for _, local := range []bool{true, false} {
		for _, r := range s.Replicas {
			if r.State != wire.InSync || (r.Node == self) != local {
				continue
			}
			if err := ctx.Err(); err != nil {
				return none, err
			}
			reply, err := call(r.Node)
			if err == nil || !passedOver(err) {
				return reply, err
			}
			last = err
		}
	}
	return none, last
}

// passedOver tells errors of one replica that another may not have.
func passedOver(err error) bool {
	for _, c := range []error{wire.ErrBehind, wire.ErrUnavailable, wire.ErrNoShard, wire.ErrClosed} {
		if errors.Is(err, c) {
			return true
		}
	}
	return false
}
