package link

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"shoal/api/jsonvalue"
	"shoal/node/peer"
	"shoal/wire"
)

const methodCompact = "shard.compact"

// Compact makes every node that holds shards of an index rewrite them, and returns the
// total size of all copies in human units. A node that is away compacts nothing: it gets a
// new copy, or its deltas, when it returns.
func (r *Shards) Compact(ctx context.Context, x *wire.Index) (before, after string, err error) {
	var nodes []wire.NodeID
	for i := range x.Shards {
		for _, c := range x.Shards[i].Replicas {
			if c.State == wire.InSync && !slices.Contains(nodes, c.Node) {
				nodes = append(nodes, c.Node)
			}
		}
	}
	replies := make([]wire.CompactReply, len(nodes))
	work, workCtx := errgroup.WithContext(ctx)
	for i, node := range nodes {
		work.Go(func() error {
			reply, err := r.compactOn(workCtx, node, x.ID)
			if err != nil && node != r.self && ctx.Err() == nil {
				return nil
			}
			if err == nil {
				replies[i] = *reply
			}
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return "", "", err
	}
	var sum wire.CompactReply
	for i := range replies {
		sum.Before += replies[i].Before
		sum.After += replies[i].After
	}
	return jsonvalue.HumanSize(int64(sum.Before)), jsonvalue.HumanSize(int64(sum.After)), nil
}

func (r *Shards) compactOn(ctx context.Context, node wire.NodeID, id uint32) (*wire.CompactReply, error) {
	req := &wire.CompactRequest{IndexID: id}
	if node == r.self {
		return r.host.Compact(ctx, req)
	}
	return peer.Call[wire.CompactRequest, wire.CompactReply](ctx, r.link, node, methodCompact, req)
}
