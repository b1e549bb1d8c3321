package node

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"shoal/api/settings"
	"shoal/consensus"
	"shoal/coordinator"
	"shoal/coordinator/admin"
	"shoal/coordinator/backup/repository"
	"shoal/coordinator/backup/snapshot"
	"shoal/coordinator/chat"
	"shoal/coordinator/documents"
	"shoal/coordinator/federated"
	"shoal/coordinator/placement"
	"shoal/coordinator/queue"
	"shoal/coordinator/search"
	"shoal/coordinator/search/foreign"
	"shoal/httpfront"
	"shoal/node/analytics"
	"shoal/node/folder"
	"shoal/node/link"
	"shoal/node/observe"
	"shoal/node/view"
	"shoal/wire"
)

// raftLog adapts consensus.Group to the coordinator.
type raftLog struct{ *consensus.Group }

// Catalog returns the newest applied catalogue.
func (l raftLog) Catalog() coordinator.Catalog { return l.Group.Catalog() }

var _ coordinator.Log = raftLog{}

// work is what this node does for clients on all shards: it reads, and it hands tasks to
// the queue.
type work struct {
	*data
	raft      raftLog
	outbound  *httpfront.Outbound
	placement placement.Placement
	disks     view.Disks // of all members
	shards    *link.Shards
	writer    *queue.Writer
	tasks     *queue.Tasks
	documents *documents.Documents
	search    *federated.NetworkSearch
	features  *admin.Features
	keys      *admin.Keys
	webhooks  *admin.Webhooks
	stats     *admin.Stats
	// repository is the destination of snapshots; nil means a file.
	repository *repository.Repository
	metrics    *observe.Metrics
	view       *view.Cluster
	ports      httpfront.Ports // those that need nothing of the process
}

// openWork connects the coordinator.
func openWork(d *data, out *httpfront.Outbound) (*work, error) {
	if err := freshFolder(d.scratch()); err != nil {
		return nil, err
	}
	w := &work{data: d, raft: raftLog{d.group}, outbound: out}
	w.placement = placement.Placement{Shards: w.cfg.DefaultShards, Replicas: w.cfg.DefaultReplicas, Full: w.disks.Full}
	w.shards = link.New(w.self.ID, w.host, w.link, func(id wire.NodeID) bool { return w.group.Slow(id) || w.group.Silent(id) })
	w.writer = queue.NewWriter(w.raft, w.blobs, w.scratch())
	if err := w.openAdmin(); err != nil {
		return nil, err
	}
	if err := w.openView(); err != nil {
		return nil, err
	}
	w.openSearch()
	return w, nil
}

// openAdmin connects what clients edit beside documents.
func (w *work) openAdmin() error {
	w.features = admin.NewFeatures(w.raft, settings.Features{
		Metrics: w.cfg.EnableMetrics, LogsRoute: w.cfg.EnableLogsRoute, ContainsFilter: w.cfg.ContainsFilter, LegacySearch: w.cfg.LegacySearch,
	})
	searched, err := analytics.OpenCluster(analytics.Config{
		Files: w.on.Files, Dir: w.dir(folder.DirAnalytics), Log: w.log.With("component", "analytics"),
	}, admin.NewAnalytics(w.raft), w.members, w.server)
	if err != nil {
		return err
	}
	w.opened("analytics", func() error { searched.Save(); return nil })
	w.run(searched.Run)
	w.keys = admin.NewKeys(w.raft)
	w.webhooks = admin.NewWebhooks(w.raft, w.cfg.TaskWebhookURL, w.cfg.TaskWebhookHeader)
	w.stats = admin.NewStats(w.raft, func() (total, used uint64) {
		b := w.host.DiskBytes()
		return b, b
	})
	if w.cfg.APIVersion.Newer() {
		w.stats.IndexBytes = w.host.IndexBytes
	}
	w.tasks = queue.NewTasks(w.raft, w.writer, w.blobs)
	w.ports = httpfront.Ports{
		Tasks: w.tasks, Keys: w.keys, SlowLog: admin.NewSlowLog(w.raft), Analytics: searched, Aliases: admin.NewAliases(w.raft), Features: w.features, Webhooks: w.webhooks,
		DocumentPorts: httpfront.DocumentPorts{Indexes: admin.NewIndexes(w.raft), Writes: w.writer},
	}
	return nil
}

// openView connects what operators look at: backups, metrics, and the state of the cluster.
func (w *work) openView() (err error) {
	if w.repository, err = w.cfg.Storage.Repository(); err != nil {
		return err
	}
	w.metrics, err = observe.NewMetrics(observe.Watched{
		Name: w.cfg.Name, Group: w.group, Host: w.host, Payloads: w.store, View: func(ctx context.Context) *placement.View { return w.view.Now(ctx) },
		Placement: w.placement, Space: w.disk.Space, CertificateEnds: w.clients.certificateEnds, Traffic: &w.traffic,
	})
	if err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	w.view = view.New(view.Config{
		Name: w.cfg.Name, Members: w.members, Host: w.host, Disk: w.disk, Displaced: w.folder.Displaced, Backup: w.metrics.Backup, SnapshotEvery: w.cfg.ScheduleSnapshot, CertificateEnds: w.clients.certificateEnds,
	})
	return nil
}

// openSearch connects what reads documents.
func (w *work) openSearch() {
	catalog, features := w.raft.Catalog, w.features.Features
	w.documents = documents.New(w.raft, w.shards, w.self.ID, features)
	network, chats, rules := admin.NewNetwork(w.raft), admin.NewChats(w.raft), admin.NewSearchRules(w.raft, w.writer, features)
	one := search.New(search.Config{
		Searched: w.metrics.Searched, Hedged: w.metrics.Hedged, Embedder: w.embedders, Catalog: catalog, Shards: w.shards, Self: w.self.ID, Features: features,
		Foreign: foreign.New(catalog, w.documents, features), Rules: rules.Store, RuleFuel: w.cfg.RuleFuel, Now: w.group.Now,
	})
	w.search = federated.NewNetworkSearch(federated.Config{Search: one, Network: network.Network, Out: w.outbound, RemoteTimeout: w.cfg.RemoteTimeout})
	w.ports.Documents, w.ports.Search, w.ports.Network, w.ports.Rules = w.documents, w.search, network, rules
	w.ports.Chats, w.ports.Completions = chats, chat.New(chats, w.outbound, chat.Limits{}, w.metrics.Chat)
}

// restoring says how a snapshot becomes the documents of this cluster.
func (w *work) restoring(progress *slog.Logger) snapshot.RestoreConfig {
	return snapshot.RestoreConfig{
		Log: w.raft, Blobs: w.blobs, Shards: link.Copies{Shards: w.shards}, Placement: w.placement, Alive: w.alive, Dictionaries: w.self.Dictionaries, Dir: w.scratch(), Progress: progress,
	}
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
