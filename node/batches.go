package node

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"shoal/api"
	"shoal/coordinator/admin"
	"shoal/coordinator/backup/bucket"
	"shoal/coordinator/backup/dump"
	"shoal/coordinator/backup/export"
	"shoal/coordinator/backup/repository"
	"shoal/coordinator/backup/snapshot"
	"shoal/coordinator/placement"
	"shoal/coordinator/queue"
	"shoal/coordinator/replica"
	"shoal/coordinator/schedule"
	"shoal/node/catchup"
	"shoal/node/link"
	"shoal/node/view"
	"shoal/wire"
)

// batches is what this node does by itself: it forms batches while it leads, keeps its
// copies up to date, and tells others how far that is.
type batches struct {
	*work
	leader *view.Leader
	feed   *queue.Feed
	copies *catchup.Copies
	taker  *snapshot.Taker
}

// openBatches connects what works on batches, and starts it.
func openBatches(w *work) *batches {
	n := &batches{work: w}
	scheduler := schedule.NewScheduler(n.raft, n.shards, n.blobs, schedule.Config{
		MaxBatchTasks: int(min(n.cfg.MaxBatchedTasks, 1<<31-1)), MaxBatchBytes: n.batchBytes(), Dir: n.scratch(), Log: n.log.With("component", "scheduler"),
		Placement: n.placement, Embedders: n.embedders, Jobs: n.jobs(),
		Count: func(ctx context.Context, uid string, filter []byte) (uint64, error) {
			page, err := n.documents.Documents(ctx, uid, &api.DocumentsRequest{Filter: filter})
			if err != nil {
				return 0, err
			}
			return page.Total, nil
		},
	})
	balancer := placement.NewBalancer(placement.BalancerConfig{Log: n.raft, Placement: n.placement, Alive: n.alive, Faults: n.log.With("component", "balancer")})
	n.leader = view.OpenLeader(n.members, n.server, scheduler, balancer)
	n.tasks.Progress, n.stats.Progress = n.leader.Progress, n.leader.Progress
	n.feed = queue.NewFeed(n.raft, n.tasks, n.group.OnMove)
	n.copies = catchup.New(catchup.Config{
		Self: n.self.ID, Log: n.raft, Alive: n.alive, Out: n.log,
		Seen:    func(id wire.NodeID) bool { _, seen := n.gossip.Node(id); return seen },
		Reached: func() bool { return len(n.gossip.Members()) > 1 },
		Whole: func(x *wire.Index, shard uint16) bool {
			_, whole, err := n.host.Holds(x, shard)
			return err == nil && whole
		},
	})
	follower := replica.NewFollower(replica.FollowerConfig{
		Self: n.self.ID, Log: n.raft, Store: n.host, Source: n.shards, Faults: n.log.With("component", "replicas"),
	})
	sender := admin.NewWebhookSender(n.raft, n.webhooks, n.outbound, n.log.With("component", "webhooks"))
	n.run(n.feed.Run)
	n.run(func(ctx context.Context) {
		if err := balancer.Run(ctx); err != nil && ctx.Err() == nil {
			n.fail(fmt.Errorf("the balancer stopped: %w", err))
		}
	})
	n.run(func(ctx context.Context) {
		if err := scheduler.Run(ctx); err != nil && ctx.Err() == nil {
			n.fail(fmt.Errorf("the scheduler stopped: %w", err))
		}
	})
	n.run(func(ctx context.Context) {
		if err := follower.Run(ctx); err != nil && ctx.Err() == nil {
			n.fail(fmt.Errorf("the replicas stopped following: %w", err))
		}
	})
	n.run(sender.Run)
	following := standby{w}
	if n.cfg.Follow != "" {
		n.run(following.follow)
	}
	n.run(n.lead)
	if n.repository != nil {
		n.run(n.rememberBackup)
	}
	n.run(n.sweep)
	n.run(n.disk.Watch)
	n.run(n.watchFolder)
	if every := n.cfg.ScheduleSnapshot; every > 0 {
		n.run(func(ctx context.Context) {
			if following.await(ctx) {
				snapshot.Schedule(ctx, n.raft, n.writer, every, n.taker.Prepare, n.log.With("component", "backup"))
			}
		})
	}
	return n
}

// jobs runs the tasks that concern more than the documents of shards.
func (n *batches) jobs() schedule.Jobs {
	log := n.log.With("component", "backup")
	dumper := dump.NewDumper(dump.DumperConfig{Log: n.raft, Documents: n.documents, Blobs: n.blobs, Dir: n.cfg.DumpDir, Progress: log})
	exporter := export.New(export.Config{
		Catalog: n.raft.Catalog, Documents: n.documents, Features: n.features.Features, Out: n.outbound, PayloadLimit: n.cfg.PayloadLimit, Progress: log,
	})
	n.taker = snapshot.NewTaker(snapshot.Config{
		Log: n.raft, Blobs: n.blobs, Shards: link.Copies{Shards: n.shards}, Self: n.self.ID, Progress: log,
		Path:       filepath.Join(n.cfg.SnapshotDir, filepath.Base(n.cfg.DBPath)+".snapshot"),
		Repository: n.repository, Keep: n.cfg.Keep, Taken: n.metrics.Backup.Taken,
	})
	return schedule.Jobs{
		Rules: admin.ApplyRules, Compact: n.shards.Compact, Dump: dumper.Dump, Export: exporter.Export, Snapshot: n.taker.Snapshot,
	}
}

// batchBytes bounds the payloads of one batch: the option, or half of the memory budget and
// at most 10 GiB.
func (n *batches) batchBytes() int64 {
	if n.cfg.MaxBatchedBytes > 0 {
		return int64(min(n.cfg.MaxBatchedBytes, 1<<62))
	}
	return min(n.cfg.MemoryLimit/2, 10<<30)
}

// lead performs the duties of a new leader that are due once: it makes the default keys.
func (n *batches) lead(ctx context.Context) {
	for ctx.Err() == nil {
		changed := n.group.LeadershipChanged()
		if _, ok := n.group.Leading(); ok {
			if err := n.keys.EnsureDefaults(ctx); err != nil && ctx.Err() == nil {
				n.log.Warn("the default keys were not made; the next leader tries again", "error", err)
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// rememberBackup looks up the newest snapshot of this cluster, so that after a restart
// metrics do not report a missing snapshot.
func (n *batches) rememberBackup(ctx context.Context) {
	for n.group.Catalog().ClusterID() == "" {
		select {
		case <-ctx.Done():
			return
		case <-n.group.Changed():
		}
	}
	mine := n.group.Catalog().ClusterID()
	e, err := n.repository.Newest(ctx, func(e repository.Entry) bool { return e.Cluster == mine })
	switch {
	case err == nil:
		n.metrics.Backup.Found(e.Taken)
	case !errors.Is(err, bucket.ErrNotFound) && ctx.Err() == nil:
		n.log.Warn("the storage of backups cannot be read", "component", "backup", "error", err)
	}
}
