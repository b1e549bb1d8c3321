package replica

import (
	"golang.org/x/sync/errgroup"

	"shoal/wire"
)

// publication is what the store said about one shard of an index. It is empty for a shard
// without a replica on this node.
type publication struct {
	// fetching: a worker fetches the shard, so the store was not asked.
	fetching bool
	missing  []wire.Missing
	err      error
}

// publishers bounds the shards of an index that are published at once. After a start each of
// them reads its dictionaries from disk, and a disk answers several readers sooner than one
// after the other.
const publishers = 8

// publish installs what the store has of this node's shards of x. It returns a publication for
// each shard of x, in their order.
func (f *Follower) publish(x *wire.Index) []publication {
	published := make([]publication, len(x.Shards))
	var group errgroup.Group
	group.SetLimit(publishers)
	for i := range x.Shards {
		s, p := &x.Shards[i], &published[i]
		if s.ReplicaOn(f.Self) == nil {
			continue
		}
		if p.fetching = f.isFetching(wire.ShardKey{IndexID: x.ID, Shard: s.Number}); p.fetching {
			continue
		}
		group.Go(func() error {
			p.missing, p.err = f.Store.Publish(x, s.Number)
			return nil
		})
	}
	_ = group.Wait() // each publication holds its own error
	return published
}
