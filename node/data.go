package node

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"shoal/embed"
	"shoal/node/blob"
	"shoal/node/folder"
	"shoal/node/link"
	"shoal/node/memory"
	"shoal/shard"
	"shoal/shard/damage"
	"shoal/wire"
)

// sweepEvery is how often staged payloads that no task needs are removed.
const sweepEvery = 15 * time.Second

// firstScrub delays the first scrub, so that it does not slow down the start.
const firstScrub = time.Minute

// data is what this node keeps for its cluster: its shards and its staged payloads.
type data struct {
	*member
	embedders *embed.Pool
	host      *shard.Host
	store     *blob.Store
	blobs     *blob.Cluster // the payloads of all nodes
}

// openData opens the store of shards and the staged payloads.
func openData(m *member, embedders *embed.Pool) (*data, error) {
	if err := m.folder.Part(folder.DirShards, "its store of shards"); err != nil {
		return nil, err
	}
	st, err := blob.Open(m.on.Files, m.dir(folder.DirBlobs), m.log.With("component", "payloads"))
	if err != nil {
		return nil, err
	}
	n := &data{member: m, embedders: embedders, store: st}
	n.blobs = blob.NewCluster(n.self.ID, st, n.link, n.stageTargets, func() uint64 { return n.group.Catalog().StageEpoch() }, n.named)
	n.blobs.Register(n.server)
	if err := n.openShards(); err != nil {
		return nil, err
	}
	n.opened("shards", n.host.Close)
	n.group.OnCommit(n.host.Committed)
	link.Register(n.server, n.host)
	return n, nil
}

func (n *data) openShards() (err error) {
	if !n.on.Shared {
		memory.SetGCPercent()
	}
	budget := shard.Divide(n.cfg.MemoryLimit)
	budget.Warm = memory.Spare(n.cfg.MemoryLimit)
	options := shard.Options{
		Dir: n.dir(folder.DirShards), FS: n.on.Files.FS, Node: n.self.ID, Log: n.log.With("component", "shard"),
		Budget:      budget,
		OpenPayload: func(ctx context.Context, p *wire.Payload) (io.ReadCloser, error) { return n.blobs.Open(ctx, p.Blob) },
		Ship: func(ctx context.Context, to wire.NodeID, write func(io.Writer) error) error {
			return link.Ship(ctx, n.link, to, write)
		},
		Index:    func(id uint32) (*wire.Index, bool) { return n.group.Catalog().IndexByID(id) },
		Indexes:  func() []*wire.Index { return n.group.Catalog().Indexes() },
		TaskOver: func(uid uint32) (bool, error) { return n.group.TaskOver(uid) },
		Scrub:    shard.Scrub{Every: n.cfg.ScrubInterval, First: min(n.cfg.ScrubInterval, firstScrub)},
		Embed:    n.embedDocuments, Heavy: n.frugal.Begin, Cores: n.cores,
		Fatal: func(err error) { n.die("its store of shards", err) },
	}
	n.host, err = shard.Open(options)
	if err != nil && damage.Unreadable(err) {
		err = n.beginAnew(&options, err)
	}
	if err != nil {
		return n.folder.Fault("its store of shards", err)
	}
	return nil
}

// beginAnew replaces a store that cannot be opened by an empty one, if other nodes have all
// of its data. Otherwise it returns the reason why not.
func (n *data) beginAnew(o *shard.Options, why error) (err error) {
	var keys []wire.ShardKey
	indexes := n.group.Catalog().Indexes()
	for _, x := range indexes {
		for i := range x.Shards {
			if x.Shards[i].ReplicaOn(n.self.ID) != nil && x.Version > 0 {
				keys = append(keys, wire.ShardKey{IndexID: x.ID, Shard: x.Shards[i].Number})
			}
		}
	}
	if only := wire.OnlyHolder(indexes, n.self.ID, n.cluster.knows); len(only) > 0 || len(keys) == 0 {
		return why
	}
	n.log.Error("the store of shards cannot be opened; it is set aside, and other nodes, which have all of it, send copies", "error", why, "shards", len(keys))
	if err := damage.SetAside(o.FS, o.Dir, keys); err != nil {
		return errors.Join(why, err)
	}
	n.host, err = shard.Open(*o)
	return err
}

// stageTargets says on how many nodes a payload is stored, this one included: on as many as
// its log entry, if that many hold data. others are the candidates in order of preference:
// if zones count, from as many zones as possible.
func (n *data) stageTargets() (copies int, others []wire.NodeID) {
	holders := 1 // this node keeps one in any case
	nodes := n.group.Catalog().Nodes()
	var able []*wire.Node
	for _, d := range nodes {
		if d.ID == n.self.ID || !d.Data {
			continue
		}
		holders++
		if n.gossip.Alive(d.ID) {
			able = append(able, d)
		}
	}
	// Do not always choose the same node.
	rand.Shuffle(len(able), func(i, j int) { able[i], able[j] = able[j], able[i] })
	held := map[string]int{}
	if wire.Zoned(nodes) {
		held[n.self.Zone]++
		able = byZone(able, held)
	}
	for _, d := range able {
		others = append(others, d.ID)
	}
	return min(wire.Majority(len(n.group.Stats().Voters)), holders), others
}

// byZone orders nodes so that each comes from a zone with as few nodes before it, and in
// held, as possible. Nodes of one zone keep their order. It modifies nodes and held.
func byZone(nodes []*wire.Node, held map[string]int) (ordered []*wire.Node) {
	for len(nodes) > 0 {
		best := 0
		for i, d := range nodes {
			if held[d.Zone] < held[nodes[best].Zone] {
				best = i
			}
		}
		held[nodes[best].Zone]++
		ordered = append(ordered, nodes[best])
		nodes = slices.Delete(nodes, best, best+1)
	}
	return ordered
}

// named tells whether a node belongs to the cluster, and its name.
func (n *data) named(id wire.NodeID) (name string, ok bool) {
	d, ok := n.cluster.node(id)
	if !ok {
		return "", false
	}
	return d.Name, true
}

// sweep removes staged payloads whose tasks are finished.
func (n *data) sweep(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			oldest := n.group.Catalog().MinStageEpoch() // read before the pending tasks
			n.store.Named(n.group.TakeNamed())
			pending := map[string]bool{}
			for _, t := range n.group.Pending() {
				if t.Payload.Blob != nil {
					pending[t.Payload.Blob.ID] = true
				}
			}
			if err := n.store.Sweep(pending, oldest, now); err != nil {
				n.log.Warn("staged payloads that no task needs were not removed; the removal is retried", "error", err)
			}
		}
	}
}
