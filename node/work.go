package node

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"shoal/api"
	"shoal/coordinator"
	"shoal/coordinator/snapshot"
	"shoal/embed"
	"shoal/httpfront"
	"shoal/node/blob"
	"shoal/node/peer"
	"shoal/shard"
	"shoal/wire"
)

// sweepEvery is how often staged payloads that no task needs are removed.
const sweepEvery = 15 * time.Second

// work is everything that spans shards, joined with this node's log and links.
type work struct {
	log       raftLog
	shards    *replicas
	writer    *coordinator.Writer
	scheduler *coordinator.Scheduler
	search    *coordinator.NetworkSearch
	documents *coordinator.Documents
	tasks     *coordinator.Tasks
	keys      *coordinator.Keys
	features  *coordinator.Features
	network   *coordinator.Network
	webhooks  *coordinator.Webhooks
	rules     *coordinator.SearchRules
	chats     *coordinator.Chats
	stats     *coordinator.Stats
	indexes   *coordinator.Indexes
	outbound  *httpfront.Outbound
	embedders *embed.Pool
	cluster   *coordinator.Cluster
	placement coordinator.Placement
}

// openShards opens this node's store and its staged payloads.
func (n *Node) openShards(context.Context) error {
	if err := n.folder.part(dirShards, "its store of shards"); err != nil {
		return err
	}
	st, err := blob.Open(n.dir(dirBlobs))
	if err != nil {
		return err
	}
	n.store = st
	n.blobs = blob.NewCluster(n.self.ID, st, n.link, n.stageTargets, func() uint64 { return n.group.Catalog().StageEpoch() })
	n.blobs.Register(n.server)
	calm()
	budget := n.cfg.MemoryLimit
	n.host, err = shard.Open(shard.Options{
		Dir: n.dir(dirShards), Node: n.self.ID, Log: n.log.With("component", "shard"),
		CacheBytes: min(budget/8, 512<<20), SetBytes: min(budget/16, 96<<20), BuildBytes: min(budget/8, 128<<20),
		VectorBytes: budget / 4, ColumnBytes: budget / 8,
		OpenPayload: func(ctx context.Context, p *wire.Payload) (io.ReadCloser, error) { return n.blobs.Open(ctx, p.Blob) },
		Ship:        n.ship,
		Index:       func(id uint32) (*wire.Index, bool) { return n.group.Catalog().IndexByID(id) },
		Filter:      filterView, Edit: editorOf, Search: openExecutor, List: listView, Embed: n.embedDocuments, Heavy: n.frugal.begin,
		Fatal: func(err error) { n.die("its store of shards", err) },
	})
	if err != nil {
		return n.folder.fault("its store of shards", err)
	}
	n.opened("shards", n.host.Close)
	registerShards(n.server, n.host)
	return nil
}

// stageTargets: a payload goes to one node more than may fail at once.
func (n *Node) stageTargets() (copies int, others []wire.NodeID) {
	c := n.group.Catalog()
	voters := 0
	for _, d := range c.Nodes() {
		if d.Voter {
			voters++
		}
		if d.ID != n.self.ID && d.Data && n.gossip.Alive(d.ID) {
			others = append(others, d.ID)
		}
	}
	return min(1+(min(voters, 5)-1)/2, max(1, voters)), others
}

// openWork starts what the coordinator does on this node.
func (n *Node) openWork(context.Context) error {
	log := raftLog{n.group}
	out, err := httpfront.NewOutbound(n.cfg.AllowedIPNetworks)
	if err != nil {
		return fmt.Errorf("--experimental-allowed-ip-networks: %w", err)
	}
	tmp := filepath.Join(n.folder.path, "tmp")
	if err := freshFolder(tmp); err != nil {
		return err
	}
	w := &work{log: log, outbound: out, shards: &replicas{self: n.self.ID, host: n.host, link: n.link}}
	w.writer = coordinator.NewWriter(log, n.blobs, tmp)
	w.features = coordinator.NewFeatures(log, api.Features{
		Metrics: n.cfg.EnableMetrics, LogsRoute: n.cfg.EnableLogsRoute, ContainsFilter: n.cfg.ContainsFilter, LegacySearch: n.cfg.LegacySearch,
	})
	w.keys = coordinator.NewKeys(log)
	w.network = coordinator.NewNetwork(log)
	w.webhooks = coordinator.NewWebhooks(log, n.cfg.TaskWebhookURL, n.cfg.TaskWebhookHeader)
	w.rules = coordinator.NewSearchRules(log, w.writer)
	w.chats = coordinator.NewChats(log)
	w.stats = coordinator.NewStats(log, n.storeSizes)
	w.indexes = coordinator.NewIndexes(log)
	w.documents = coordinator.NewDocuments(log, w.shards, n.self.ID, w.features)
	w.tasks = coordinator.NewTasks(log, w.writer, n.blobs)
	w.tasks.Progress, w.stats.Progress = n.progress, n.progress
	w.embedders = n.newEmbedders(out)
	if n.metrics, err = n.newMetrics(); err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	search := coordinator.NewSearch(coordinator.SearchConfig{
		Searched: n.metrics.searched,
		Embedder: w.embedders,
		Catalog:  log.Catalog, Shards: w.shards, Self: n.self.ID, Features: w.features.Features,
		Foreign: coordinator.NewForeign(w.documents), Rules: w.rules})
	w.search = coordinator.NewNetworkSearch(search, w.network, out)
	placement := coordinator.Placement{Shards: n.cfg.DefaultShards, Replicas: n.cfg.DefaultReplicas}
	w.placement = placement
	w.scheduler = coordinator.NewScheduler(log, w.shards, n.blobs, coordinator.SchedulerConfig{
		MaxBatchTasks: int(min(n.cfg.MaxBatchedTasks, 1<<31-1)), MaxBatchBytes: n.batchBytes(), Dir: tmp, Log: n.log.With("component", "scheduler"),
		Placement: placement, Embedders: w.embedders, Jobs: n.jobs(w),
	})
	balancer := coordinator.NewBalancer(coordinator.BalancerConfig{Log: log, Placement: placement, Alive: n.alive, Faults: n.log.With("component", "balancer")})
	w.cluster = coordinator.NewCluster(log, placement, n.alive, balancer.Reasons)
	n.run(func(ctx context.Context) {
		if err := balancer.Run(ctx); err != nil && ctx.Err() == nil {
			n.fail(fmt.Errorf("the balancer stopped: %w", err))
		}
	})
	n.work = w
	n.run(func(ctx context.Context) {
		if err := w.scheduler.Run(ctx); err != nil && ctx.Err() == nil {
			n.fail(fmt.Errorf("the scheduler stopped: %w", err))
		}
	})
	follower := coordinator.NewFollower(coordinator.FollowerConfig{
		Self: n.self.ID, Log: log, Store: ownShards{n.host}, Source: w.shards, Faults: n.log.With("component", "replicas"),
	})
	n.run(func(ctx context.Context) {
		if err := follower.Run(ctx); err != nil && ctx.Err() == nil {
			n.fail(fmt.Errorf("the replicas stopped following: %w", err))
		}
	})
	sender := coordinator.NewWebhookSender(log, w.webhooks, out, n.log.With("component", "webhooks"))
	n.run(sender.Run)
	peer.Handle(n.server, methodReady, n.serveReady)
	peer.Handle(n.server, methodProgress, n.serveProgress)
	peer.Handle(n.server, methodLags, n.serveLags)
	n.run(n.lead)
	n.run(n.sweepBlobs)
	if every := n.cfg.ScheduleSnapshot; every > 0 {
		n.run(func(ctx context.Context) {
			snapshot.Schedule(ctx, log, w.writer, every, n.log.With("component", "backup"))
		})
	}
	return nil
}

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

// batchBytes is the limit of one batch's payloads: the option, or half of the
// memory budget and at most 10 GiB.
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

// lead does what a new leader owes the cluster once: the default keys.
func (n *Node) lead(ctx context.Context) {
	for ctx.Err() == nil {
		changed := n.group.LeadershipChanged()
		if _, ok := n.group.Leading(); ok {
			if err := n.work.keys.EnsureDefaults(ctx); err != nil && ctx.Err() == nil {
				n.log.Warn("default keys", "error", err)
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
			oldest := n.group.Catalog().MinStageEpoch() // before what is pending
			n.store.Named(n.group.TakeNamed())
			pending := map[string]bool{}
			for _, t := range n.group.Pending() {
				if t.Payload.Blob != nil {
					pending[t.Payload.Blob.ID] = true
				}
			}
			if err := n.store.Sweep(pending, oldest, now); err != nil {
				n.log.Warn("remove staged payloads", "error", err)
			}
		}
	}
}
