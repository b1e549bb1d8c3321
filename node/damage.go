package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"shoal/node/peer"
	"shoal/shard"
	"shoal/wire"
)

// beginAnew opens an empty store in the place of one that cannot be opened, when other
// nodes have all that was in it. Otherwise it returns why.
func (n *Node) beginAnew(o *shard.Options, why error) (err error) {
	var keys []wire.ShardKey
	indexes := n.group.Catalog().Indexes()
	for _, x := range indexes {
		for i := range x.Shards {
			if x.Shards[i].ReplicaOn(n.self.ID) != nil && x.Version > 0 {
				keys = append(keys, wire.ShardKey{IndexID: x.ID, Shard: x.Shards[i].Number})
			}
		}
	}
	member := func(id wire.NodeID) bool { _, ok := n.group.Catalog().Node(id); return ok }
	if only := wire.OnlyHolder(indexes, n.self.ID, member); len(only) > 0 || len(keys) == 0 {
		return why
	}
	n.log.Error("the store of shards cannot be opened; it is set aside, and other nodes, which have all of it, send copies", "error", why, "shards", len(keys))
	if err := shard.SetAside(o.FS, o.Dir, keys); err != nil {
		return errors.Join(why, err)
	}
	n.host, err = shard.Open(*o)
	return err
}

const methodDamage = "shard.damage"

type damageRequest struct{}

// damageReply tells what the disk of a node has lost, in sentences for an operator.
type damageReply struct {
	Damage []string `msgpack:"d"`
}

// serveDamage answers for this node.
func (n *Node) serveDamage(context.Context, *damageRequest) (*damageReply, error) {
	reply := &damageReply{}
	all, _ := n.host.Damaged()
	for _, d := range all {
		x, ok := n.group.Catalog().IndexByID(d.Key.IndexID)
		if !ok {
			continue // it goes as soon as the sweep finds it
		}
		what := "no other node has a copy that is whole; what is sound is served: restore the index from a snapshot or dump, or add its documents again"
		if s := x.ShardNumbered(d.Key.Shard); s != nil && slices.ContainsFunc(s.Replicas, func(r wire.Replica) bool { return r.Node != n.self.ID && r.State == wire.InSync }) {
			what = "other nodes answer for it until a copy has come"
		}
		reply.Damage = append(reply.Damage, fmt.Sprintf("the disk of node %s has lost a part of shard %d of index `%s`, found %s ago: %s",
			n.cfg.Name, d.Key.Shard, x.UID, time.Since(d.Since).Round(time.Second), what))
	}
	return reply, nil
}

// damage asks all members that answer; those that cannot tell in time are left out.
func (n *Node) damage(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	nodes := n.group.Catalog().Nodes()
	found := make([][]string, len(nodes))
	var wg sync.WaitGroup
	for i, d := range nodes {
		if !n.alive(d.ID) {
			continue
		}
		wg.Go(func() {
			reply, err := n.damageOf(ctx, d.ID)
			if err == nil {
				found[i] = reply.Damage
			}
		})
	}
	wg.Wait()
	return append([]string{}, slices.Concat(found...)...)
}

func (n *Node) damageOf(ctx context.Context, id wire.NodeID) (*damageReply, error) {
	if id == n.self.ID {
		return n.serveDamage(ctx, &damageRequest{})
	}
	return peer.Call[damageRequest, damageReply](ctx, n.link, id, methodDamage, &damageRequest{})
}
