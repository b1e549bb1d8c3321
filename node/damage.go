package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"shoal/api/apierr"
	"shoal/coordinator/placement"
	"shoal/node/blob"
	"shoal/node/ctl"
	"shoal/node/folder"
	"shoal/node/peer"
	"shoal/shard"
	"shoal/wire"
)

// beginAnew replaces a store that cannot be opened by an empty one, if other nodes have all
// of its data. Otherwise it returns the reason why not.
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

// damageReply describes the data that the disk of a node has lost, in sentences for an
// operator.
type damageReply struct {
	Damage []string `msgpack:"d"`
	// Told holds the node's other warnings. Older programs leave it out.
	Told []placement.Condition `msgpack:"t"`
}

// serveDamage answers for this node.
func (n *Node) serveDamage(context.Context, *damageRequest) (*damageReply, error) {
	reply := &damageReply{Told: n.standing()}
	all, _ := n.host.Damaged()
	for _, d := range all {
		x, ok := n.group.Catalog().IndexByID(d.Key.IndexID)
		if !ok {
			continue // the sweep will remove it
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

// damage asks the members that answer. Those that do not answer in time are left out.
func (n *Node) damage(ctx context.Context, answers map[wire.NodeID]bool) (damage []string, told []placement.Condition) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	nodes := n.group.Catalog().Nodes()
	found := make([]*damageReply, len(nodes))
	var wg sync.WaitGroup
	for i, d := range nodes {
		if !answers[d.ID] {
			continue
		}
		wg.Go(func() {
			reply, err := n.damageOf(ctx, d.ID)
			if err == nil {
				found[i] = reply
			}
		})
	}
	wg.Wait()
	for _, reply := range found {
		if reply != nil {
			damage, told = append(damage, reply.Damage...), append(told, reply.Told...)
		}
	}
	return damage, told
}

func (n *Node) damageOf(ctx context.Context, id wire.NodeID) (*damageReply, error) {
	if id == n.self.ID {
		return n.serveDamage(ctx, &damageRequest{})
	}
	return peer.Call[damageRequest, damageReply](ctx, n.link, id, methodDamage, &damageRequest{})
}

const methodVerify = "cluster.verify"

type verifyRequest struct{}

// verifyReply is the JSON of a ctl.Verified.
type verifyReply struct {
	JSON []byte `msgpack:"j"`
}

// Verify makes a node ("" for this one) read all its data and compare it with the
// checksums.
func (c clusterPort) Verify(ctx context.Context, name string) (json.RawMessage, error) {
	reply, err := askMember(ctx, c.n, name, methodVerify, 0, &verifyRequest{}, c.n.serveVerify)
	if err != nil {
		return nil, err
	}
	return reply.JSON, nil
}

// serveVerify verifies this node, one call at a time.
func (n *Node) serveVerify(ctx context.Context, _ *verifyRequest) (*verifyReply, error) {
	if !n.verifying.TryLock() {
		return nil, apierr.New(apierr.CodeBadRequest, fmt.Sprintf("Node `%s` is being verified already: wait until that has ended.", n.cfg.Name))
	}
	defer n.verifying.Unlock()
	out := ctl.Verified{Node: n.cfg.Name, Damage: []string{}, Copies: []ctl.VerifiedCopy{}}
	log, entries, err := n.group.VerifyLog(ctx)
	if err != nil {
		return nil, err
	}
	out.LogEntries, out.Damage = entries, append(out.Damage, log...)
	store, err := n.host.Verify(ctx)
	if err != nil {
		return nil, err
	}
	out.Files, out.Bytes, out.Damage = store.Files, store.Bytes, append(out.Damage, store.Damage...)
	for _, c := range store.Copies {
		copied := ctl.VerifiedCopy{IndexID: c.Key.IndexID, Shard: c.Key.Shard, Version: c.Version, Delta: c.Delta, Keys: c.Keys, Sum: fmt.Sprintf("%016x", c.Sum)}
		if x, ok := n.group.Catalog().IndexByID(c.Key.IndexID); ok {
			copied.Index = x.UID
		}
		out.Copies = append(out.Copies, copied)
	}
	payloads, read, err := blob.Verify(ctx, n.dir(folder.DirBlobs))
	if err != nil {
		return nil, err
	}
	out.PayloadBytes, out.Damage = read, append(out.Damage, payloads...)
	b, err := json.Marshal(&out)
	if err != nil {
		return nil, fmt.Errorf("what was verified: %w", err)
	}
	return &verifyReply{JSON: b}, nil
}
