package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"shoal/api"
	"shoal/api/settings"
	"shoal/coordinator/admin"
	"shoal/coordinator/backup/snapshot"
	"shoal/coordinator/chat"
	"shoal/coordinator/documents"
	"shoal/coordinator/federated"
	"shoal/coordinator/placement"
	"shoal/coordinator/queue"
	"shoal/coordinator/replica"
	"shoal/coordinator/schedule"
	"shoal/coordinator/search"
	"shoal/coordinator/search/foreign"
	"shoal/embed"
	"shoal/httpfront"
	"shoal/node/analytics"
	"shoal/node/blob"
	"shoal/node/folder"
	"shoal/node/link"
	"shoal/node/memory"
	"shoal/node/observe"
	"shoal/node/peer"
	"shoal/node/view"
	"shoal/shard"
	"shoal/shard/damage"
	"shoal/wire"
)

// sweepEvery is how often staged payloads that no task needs are removed.
const sweepEvery = 15 * time.Second

// work is everything that spans shards, connected to this node's log and links.
type work struct {
	log         raftLog
	shards      *link.Shards
	writer      *queue.Writer
	scheduler   *schedule.Scheduler
	search      *federated.NetworkSearch
	documents   *documents.Documents
	tasks       *queue.Tasks
	feed        *queue.Feed
	keys        *admin.Keys
	slowLog     *admin.SlowLog
	analytics   *analytics.Cluster
	aliases     *admin.Aliases
	features    *admin.Features
	network     *admin.Network
	webhooks    *admin.Webhooks
	rules       *admin.SearchRules
	chats       *admin.Chats
	completions *chat.Completions
	stats       *admin.Stats
	indexes     *admin.Indexes
	outbound    *httpfront.Outbound
	embedders   *embed.Pool
	cluster     *placement.Cluster
	leader      *leader
	placement   placement.Placement
	taker       *snapshot.Taker
}

// firstScrub delays the first scrub, so that it does not slow down the start.
const firstScrub = time.Minute

// openShards opens this node's store and its staged payloads.
func (n *Node) openShards(context.Context) error {
	if err := n.folder.Part(folder.DirShards, "its store of shards"); err != nil {
		return err
	}
	st, err := blob.Open(n.on.Files, n.dir(folder.DirBlobs), n.log.With("component", "payloads"))
	if err != nil {
		return err
	}
	n.store = st
	n.blobs = blob.NewCluster(n.self.ID, st, n.link, n.stageTargets, func() uint64 { return n.group.Catalog().StageEpoch() }, n.member)
	n.blobs.Register(n.server)
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
	n.opened("shards", n.host.Close)
	n.group.OnCommit(n.host.Committed)
	link.Register(n.server, n.host)
	return nil
}

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
	if err := damage.SetAside(o.FS, o.Dir, keys); err != nil {
		return errors.Join(why, err)
	}
	n.host, err = shard.Open(*o)
	return err
}

// stageTargets says on how many nodes a payload is stored, this one included: on as many as
// its log entry, if that many hold data. others are the candidates in order of preference:
// if zones count, from as many zones as possible.
func (n *Node) stageTargets() (copies int, others []wire.NodeID) {
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

// member tells whether a node belongs to the cluster, and its name.
func (n *Node) member(id wire.NodeID) (name string, ok bool) {
	d, ok := n.group.Catalog().Node(id)
	if !ok {
		return "", false
	}
	return d.Name, true
}

// openWork starts the coordinator's work on this node.
func (n *Node) openWork(context.Context) error {
	log := raftLog{n.group}
	out, err := httpfront.NewOutbound(n.cfg.AllowedIPNetworks)
	if err != nil {
		return fmt.Errorf("--experimental-allowed-ip-networks: %w", err)
	}
	tmp := n.scratch()
	if err := freshFolder(tmp); err != nil {
		return err
	}
	p := placement.Placement{Shards: n.cfg.DefaultShards, Replicas: n.cfg.DefaultReplicas, Full: n.disks.Full}
	w := &work{log: log, placement: p, outbound: out, shards: link.New(n.self.ID, n.host, n.link, func(id wire.NodeID) bool { return n.group.Slow(id) || n.group.Silent(id) })}
	w.writer = queue.NewWriter(log, n.blobs, tmp)
	w.features = admin.NewFeatures(log, settings.Features{
		Metrics: n.cfg.EnableMetrics, LogsRoute: n.cfg.EnableLogsRoute, ContainsFilter: n.cfg.ContainsFilter, LegacySearch: n.cfg.LegacySearch,
	})
	w.keys = admin.NewKeys(log)
	w.slowLog = admin.NewSlowLog(log)
	w.analytics, err = analytics.OpenCluster(analytics.Config{
		Files: n.on.Files, Dir: n.dir(folder.DirAnalytics), Log: n.log.With("component", "analytics"),
	}, admin.NewAnalytics(log), n.members, n.server)
	if err != nil {
		return err
	}
	n.opened("analytics", func() error { w.analytics.Save(); return nil })
	n.run(w.analytics.Run)
	w.aliases = admin.NewAliases(log)
	w.network = admin.NewNetwork(log)
	w.webhooks = admin.NewWebhooks(log, n.cfg.TaskWebhookURL, n.cfg.TaskWebhookHeader)
	w.rules = admin.NewSearchRules(log, w.writer, w.features.Features)
	w.chats = admin.NewChats(log)
	w.stats = admin.NewStats(log, n.storeSizes)
	if n.cfg.APIVersion.Newer() {
		w.stats.IndexBytes = n.host.IndexBytes
	}
	w.indexes = admin.NewIndexes(log)
	w.documents = documents.New(log, w.shards, n.self.ID, w.features.Features)
	w.tasks = queue.NewTasks(log, w.writer, n.blobs)
	w.embedders = n.newEmbedders(out)
	if n.repository, err = n.cfg.Storage.Repository(); err != nil {
		return err
	}
	if n.metrics, err = observe.NewMetrics(observe.Watched{Name: n.cfg.Name, Group: n.group, Host: n.host, Payloads: n.store, View: func(ctx context.Context) *placement.View { return n.view.Now(ctx) }, Placement: p, Space: n.disk.Space, CertificateEnds: n.certificateEnds, Traffic: &n.traffic}); err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	n.view = view.New(view.Config{
		Name: n.cfg.Name, Members: n.members, Host: n.host, Disk: n.disk, Displaced: n.folder.Displaced, Backup: n.metrics.Backup, SnapshotEvery: n.cfg.ScheduleSnapshot, CertificateEnds: n.certificateEnds,
	})
	w.completions = chat.New(w.chats, out, chat.Limits{}, n.metrics.Chat)
	search := search.New(search.Config{
		Searched: n.metrics.Searched, Hedged: n.metrics.Hedged,
		Embedder: w.embedders,
		Catalog:  log.Catalog, Shards: w.shards, Self: n.self.ID, Features: w.features.Features,
		Foreign: foreign.New(log.Catalog, w.documents, w.features.Features), Rules: w.rules.Store, RuleFuel: n.cfg.RuleFuel, Now: n.group.Now})
	w.search = federated.NewNetworkSearch(federated.Config{Search: search, Network: w.network.Network, Out: out, RemoteTimeout: n.cfg.RemoteTimeout})
	w.scheduler = schedule.NewScheduler(log, w.shards, n.blobs, schedule.Config{
		MaxBatchTasks: int(min(n.cfg.MaxBatchedTasks, 1<<31-1)), MaxBatchBytes: n.batchBytes(), Dir: tmp, Log: n.log.With("component", "scheduler"),
		Placement: p, Embedders: w.embedders, Jobs: n.jobs(w),
		Count: func(ctx context.Context, uid string, filter []byte) (uint64, error) {
			page, err := w.documents.Documents(ctx, uid, &api.DocumentsRequest{Filter: filter})
			if err != nil {
				return 0, err
			}
			return page.Total, nil
		},
	})
	balancer := placement.NewBalancer(placement.BalancerConfig{Log: log, Placement: p, Alive: n.alive, Faults: n.log.With("component", "balancer")})
	w.cluster = placement.NewCluster(log, p, n.view.Now)
	w.leader = openLeader(n.members, n.server, w.scheduler, balancer)
	w.tasks.Progress, w.stats.Progress = w.leader.progress, w.leader.progress
	w.feed = queue.NewFeed(log, w.tasks, n.group.OnMove)
	n.run(w.feed.Run)
	n.run(func(ctx context.Context) {
		if err := balancer.Run(ctx); err != nil && ctx.Err() == nil {
			n.fail(fmt.Errorf("the balancer stopped: %w", err))
		}
	})
	n.work, n.copies = w, n.newCopies(log)
	n.run(func(ctx context.Context) {
		if err := w.scheduler.Run(ctx); err != nil && ctx.Err() == nil {
			n.fail(fmt.Errorf("the scheduler stopped: %w", err))
		}
	})
	follower := replica.NewFollower(replica.FollowerConfig{
		Self: n.self.ID, Log: log, Store: n.host, Source: w.shards, Faults: n.log.With("component", "replicas"),
	})
	n.run(func(ctx context.Context) {
		if err := follower.Run(ctx); err != nil && ctx.Err() == nil {
			n.fail(fmt.Errorf("the replicas stopped following: %w", err))
		}
	})
	sender := admin.NewWebhookSender(log, w.webhooks, out, n.log.With("component", "webhooks"))
	n.run(sender.Run)
	peer.Handle(n.server, methodReady, n.serveReady)
	if n.cfg.Follow != "" {
		n.run(n.followCluster)
	}
	n.run(n.lead)
	if n.repository != nil {
		n.run(n.rememberBackup)
	}
	n.run(n.sweepBlobs)
	n.run(n.disk.Watch)
	n.run(n.watchFolder)
	if every := n.cfg.ScheduleSnapshot; every > 0 {
		n.run(func(ctx context.Context) {
			if !n.awaitPromotion(ctx) {
				return
			}
			snapshot.Schedule(ctx, log, w.writer, every, w.taker.Prepare, n.log.With("component", "backup"))
		})
	}
	return nil
}

// scratch is the folder of temporary files, which are always on the operating system's file
// system.
func (n *Node) scratch() string { return cmp.Or(n.on.Files.Scratch, n.dir("tmp")) }

// freshFolder makes an empty folder for temporary files.
func freshFolder(path string) error {
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("empty the folder of temporary files: %w", err)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("make the folder of temporary files: %w", err)
	}
	return nil
}

// batchBytes bounds the payloads of one batch: the option, or half of the memory budget and
// at most 10 GiB.
func (n *Node) batchBytes() int64 {
	if n.cfg.MaxBatchedBytes > 0 {
		return int64(min(n.cfg.MaxBatchedBytes, 1<<62))
	}
	return min(n.cfg.MemoryLimit/2, 10<<30)
}

func (n *Node) storeSizes() (total, used uint64) {
	b := n.host.DiskBytes()
	return b, b
}

// lead performs the duties of a new leader that are due once: it makes the default keys.
func (n *Node) lead(ctx context.Context) {
	for ctx.Err() == nil {
		changed := n.group.LeadershipChanged()
		if _, ok := n.group.Leading(); ok {
			if err := n.work.keys.EnsureDefaults(ctx); err != nil && ctx.Err() == nil {
				n.log.Warn("the default keys were not made; the next leader tries again", "error", err)
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// sweepBlobs removes staged payloads whose tasks are finished.
func (n *Node) sweepBlobs(ctx context.Context) {
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
