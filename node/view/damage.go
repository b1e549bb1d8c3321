package view

import (
	"context"
	"fmt"
	"slices"
	"time"

	"shoal/coordinator/placement"
	"shoal/node/poll"
	"shoal/wire"
)

type damageRequest struct{}

// damageReply describes the data that the disk of a node has lost, in sentences for an
// operator.
type damageReply struct {
	Damage []string `msgpack:"d"`
	// Told holds the node's other warnings. Older programs leave it out.
	Told []placement.Condition `msgpack:"t"`
}

// serveDamage answers for this node.
func (c *Cluster) serveDamage(context.Context, *damageRequest) (*damageReply, error) {
	reply := &damageReply{Told: c.warnings()}
	for _, d := range c.Host.Damaged() {
		x, ok := c.Members.Group.Catalog().IndexByID(d.Key.IndexID)
		if !ok {
			continue // the sweep will remove it
		}
		what := "no other node has a copy that is whole; what is sound is served: restore the index from a snapshot or dump, or add its documents again"
		if s := x.ShardNumbered(d.Key.Shard); s != nil && slices.ContainsFunc(s.Replicas, func(r wire.Replica) bool { return r.Node != c.Members.Self && r.State == wire.InSync }) {
			what = "other nodes answer for it until a copy has come"
		}
		reply.Damage = append(reply.Damage, fmt.Sprintf("the disk of node %s has lost a part of shard %d of index `%s`, found %s ago: %s",
			c.Name, d.Key.Shard, x.UID, time.Since(d.Since).Round(time.Second), what))
	}
	return reply, nil
}

// ask asks the members that answer. Those that do not answer in time are left out.
func (c *Cluster) ask(ctx context.Context, answers map[wire.NodeID]bool) (damage []string, told []placement.Condition) {
	nodes := slices.DeleteFunc(slices.Clone(c.Members.Nodes()), func(d *wire.Node) bool { return !answers[d.ID] })
	for _, reply := range c.damage.Each(ctx, poll.LeaderWithin, nodes, &damageRequest{}) {
		if reply != nil {
			damage, told = append(damage, reply.Damage...), append(told, reply.Told...)
		}
	}
	return damage, told
}
