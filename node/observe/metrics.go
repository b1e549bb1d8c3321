package observe

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"shoal/consensus"
	"shoal/coordinator"
	"shoal/coordinator/placement"
	"shoal/node/blob"
	"shoal/node/peer"
	"shoal/shard"
	"shoal/wire"
)

// Metrics are our own families of /metrics: consensus, the store, the search and the shape
// of the cluster, as seen by this node. Each has the label node. The families of the
// reference come from the HTTP front.
type Metrics struct {
	registry *prometheus.Registry
	rounds   *prometheus.HistogramVec
	hedges   *prometheus.CounterVec
	// Backup is the node's knowledge of snapshots.
	Backup *Backup
	// Chat counts the usage of conversations.
	Chat *Chat
	// AuditWebhook, if set, counts the lines that it lost.
	AuditWebhook atomic.Pointer[AuditWebhook]
}

// Watched are the parts of a node that metrics are read from.
type Watched struct {
	Name     string // of this node
	Group    *consensus.Group
	Host     *shard.Host
	Payloads *blob.Store
	// View asks the members for signs of life and returns this node's view of the cluster.
	View func(context.Context) *placement.View
	// Space returns how many bytes can still be written to the disk of the data folder, and how
	// many bytes files can take there in all; 0 if unknown.
	Space func() (free, size uint64)
	// CertificateEnds is the expiry of the certificate for clients, nil without one.
	CertificateEnds *time.Time
	// Placement says how many copies are wanted.
	Placement placement.Placement
	// Traffic counts the messages on the links to other nodes.
	Traffic *peer.Traffic
}

// NewMetrics begins to measure a node.
func NewMetrics(w Watched) (*Metrics, error) {
	sink, err := libraries()
	if err != nil {
		return nil, err
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		rounds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "shoal_search_rounds", Help: "Questions that a search asked the shard it asked most, or the one of another node if there was any.",
			Buckets: []float64{1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100},
		}, []string{"shards"}),
		hedges: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "shoal_search_hedges_total", Help: "Sources of searches that a second node was asked for because the first one took long, by who was faster.",
		}, []string{"faster"}),
		Backup: &Backup{}, Chat: newChat(),
	}
	for _, who := range []string{"first", "second"} {
		m.hedges.WithLabelValues(who) // shown before there is any
	}
	labelled := prometheus.WrapRegistererWith(prometheus.Labels{"node": w.Name}, m.registry)
	for _, c := range append(m.Chat.collectors(), m.rounds, m.hedges, sink, nodeCollector{w, m.Backup, &m.AuditWebhook}) {
		if err := labelled.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Searched counts the rounds of a search. They are network round trips if some shards are
// elsewhere.
func (m *Metrics) Searched(elsewhere bool, rounds int) {
	where := "here"
	if elsewhere {
		where = "elsewhere"
	}
	m.rounds.WithLabelValues(where).Observe(float64(rounds))
}

// Hedged counts a source for which a second node was asked.
func (m *Metrics) Hedged(won bool) {
	if won {
		m.hedges.WithLabelValues("second").Inc()
	} else {
		m.hedges.WithLabelValues("first").Inc()
	}
}

// nodeCollector reads the metrics of a node on demand.
type nodeCollector struct {
	Watched
	backup *Backup
	audit  *atomic.Pointer[AuditWebhook]
}

// Describe sends nothing, because the set of families varies.
func (nodeCollector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the current metrics.
func (c nodeCollector) Collect(to chan<- prometheus.Metric) {
	out := sample{to}
	c.ofConsensus(out)
	c.ofStore(out)
	c.ofCluster(out)
	c.ofLinks(out)
	c.backup.collect(out)
	out.counter("shoal_audit_lost_total", "Lines of the audit log that were not delivered to its webhook.", float64(c.audit.Load().Lost()))
	if s, follows := coordinator.Standby(c.Group.Catalog()); follows && !s.Promoted {
		out.gauge("shoal_standby_snapshot_timestamp_seconds", "When the snapshot was taken that this standby shows; 0: none has come yet.", float64(s.Taken)/1e9)
	}
}

func (c nodeCollector) ofLinks(out sample) {
	c.Traffic.Each(func(method string, d peer.Direction, messages, bytes uint64) {
		labels := []string{"direction", d.String(), "method", method}
		out.counter("shoal_link_messages_total", "Messages between this node and others.", float64(messages), labels...)
		out.counter("shoal_link_bytes_total", "Bytes of the messages between this node and others.", float64(bytes), labels...)
	})
}

func (c nodeCollector) ofConsensus(out sample) {
	s := c.Group.Stats()
	out.gauge("shoal_consensus_leader", "1 on the node that leads.", figure(s.State == "Leader"))
	out.gauge("shoal_consensus_term", "Term of the Raft group.", float64(s.Term))
	out.gauge("shoal_consensus_last_index", "Newest entry in this node's log.", float64(s.LastIndex))
	out.gauge("shoal_consensus_committed_index", "Newest entry that this node knows to be committed.", float64(s.Committed))
	out.gauge("shoal_consensus_applied_index", "Newest entry in this node's state.", float64(s.Applied))
	out.gauge("shoal_consensus_voters", "Voters of the Raft group.", float64(len(s.Voters)))
	out.gauge("shoal_consensus_nonvoters", "Other members of the Raft group.", float64(len(s.Nonvoters)))
	out.gauge("shoal_consensus_lease_seconds", "How long this node may still answer for tasks without hearing from the leader.", s.LeaseLeft.Seconds())
	out.gauge("shoal_consensus_unshown_seconds", "Age of the oldest entry that not every node shows.", max(0, time.Duration(s.AppliedAt-s.Watermark).Seconds()))
	out.gauge("shoal_consensus_slowest_append_seconds", "Longest append to the log since the start.", s.SlowestLog.Seconds())
	out.gauge("shoal_consensus_log_bytes", "Size of the log file.", float64(s.LogBytes))
	out.gauge("shoal_consensus_log_free_bytes", "Free pages inside the log file.", float64(s.FreeBytes))
	out.gauge("shoal_tasks", "Stored tasks.", float64(s.Tasks))
	out.gauge("shoal_tasks_unfinished", "Tasks enqueued or running.", float64(s.Unfinished))
	out.gauge("shoal_batches", "Stored batches.", float64(s.Batches))
}

func (c nodeCollector) ofStore(out sample) {
	f := c.Host.Figures()
	out.gauge("shoal_store_disk_bytes", "Bytes on disk of the shards' store.", float64(f.DiskBytes))
	out.gauge("shoal_store_wal_bytes", "Live bytes of the store's write-ahead log.", float64(f.WALBytes))
	out.gauge("shoal_store_memtable_bytes", "Bytes not yet written to tables.", float64(f.MemtableBytes))
	out.gauge("shoal_store_cache_bytes", "Bytes of the block cache.", float64(f.CacheBytes))
	out.counter("shoal_store_cache_hits_total", "Blocks found in the cache.", float64(f.CacheHits))
	out.counter("shoal_store_cache_misses_total", "Blocks read from disk.", float64(f.CacheMisses))
	out.gauge("shoal_store_read_amplification", "Sorted runs that a lookup may have to look into.", float64(f.ReadAmp))
	out.gauge("shoal_store_level0_tables", "Tables on level 0.", float64(f.L0Tables))
	out.gauge("shoal_store_compaction_debt_bytes", "Bytes that compactions have still to rewrite.", float64(f.DebtBytes))
	out.counter("shoal_store_compactions_total", "Compactions.", float64(f.Compactions))
	out.counter("shoal_store_compaction_seconds_total", "Time spent in compactions.", f.CompactionTime.Seconds())
	out.counter("shoal_store_flushes_total", "Memtables written to tables.", float64(f.Flushes))
	out.counter("shoal_store_ingests_total", "Deltas taken in as whole tables.", float64(f.Ingests))
	out.gauge("shoal_store_undecided_deltas", "Results of builds that wait for the end of their batch.", float64(f.Undecided))
	out.gauge("shoal_store_undecided_bytes", "Bytes of these results.", float64(f.UndecidedBytes))
	out.gauge("shoal_store_replicas", "Copies of shards that are loaded on this node.", float64(f.Replicas))
	out.gauge("shoal_store_views", "Views that requests hold.", float64(f.Views))
	out.counter("shoal_payload_copies_dropped_total", "Damaged copies of staged payloads that were removed.", float64(c.Payloads.Dropped()))
	out.gauge("shoal_damaged_shards", "Copies of shards of which this node's disk has lost something.", float64(f.DamagedShards))
	out.counter("shoal_damage_found_total", "Copies of shards that were found damaged.", float64(f.DamageFound))
	out.counter("shoal_damage_mended_total", "Damaged copies that were replaced by one of another node.", float64(f.DamageMended))
	out.counter("shoal_scrub_bytes_total", "Bytes of table files read to find damage.", float64(f.Scrub.Bytes))
	out.counter("shoal_scrub_passes_total", "Times that all table files were read.", float64(f.Scrub.Passes))
	out.gauge("shoal_columns_files", "Files with columns of frequent words.", float64(f.Columns.Files))
	out.gauge("shoal_columns_disk_bytes", "Bytes on disk of these files.", float64(f.Columns.FileBytes))
	out.gauge("shoal_columns_lacking_documents", "Documents without columns: ranked from their records.", float64(f.Columns.Lacking))
	out.counter("shoal_columns_reads_total", "Pieces of columns read from files.", float64(f.ColumnReads))
	out.counter("shoal_columns_read_bytes_total", "Bytes of these pieces.", float64(f.ColumnReadBytes))
	for _, u := range c.Host.Uses() {
		out.gauge("shoal_memory_bytes", "Memory of the shards by use.", float64(u.Used), "use", u.Name)
		if u.Limit > 0 {
			out.gauge("shoal_memory_limit_bytes", "What a use of memory is bounded to.", float64(u.Limit), "use", u.Name)
		}
	}
	out.gauge("shoal_store_versions", "Versions kept open for requests.", float64(f.Versions))
}

// viewWithin bounds the wait for signs of life.
const viewWithin = 3 * time.Second

// ofState reports what the cluster can do, in the usual sentence, and which conditions
// hold.
func (c nodeCollector) ofState(out sample, s placement.State) {
	out.gauge("shoal_cluster_state", "1, with the sentence that shoal status shows: what the cluster can do, as this node sees it.", 1, "level", string(s.Level), "says", s.Says)
	for _, kind := range placement.Conditions() {
		holds := slices.ContainsFunc(s.Conditions, func(found placement.Condition) bool { return found.Name == kind.Name })
		out.gauge("shoal_condition", "1 while the condition holds, as this node sees it.", figure(holds), "condition", kind.Name, "level", string(kind.Level))
	}
}

func figure(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// ofCluster reports the shape of the cluster in the catalogue.
func (c nodeCollector) ofCluster(out sample) {
	ctx, cancel := context.WithTimeout(context.Background(), viewWithin)
	defer cancel()
	v := c.View(ctx)
	c.ofState(out, placement.StateOf(c.Placement, v))
	out.gauge("shoal_tasks_oldest_seconds", "How long the oldest unfinished task has been in the queue.", v.Waited.Seconds())
	if free, size := c.Space(); size > 0 {
		out.gauge("shoal_disk_free_bytes", "What may still be written to the disk of the data folder.", float64(free))
		out.gauge("shoal_disk_size_bytes", "How much files may take on the disk of the data folder in all.", float64(size))
	}
	if ends := c.CertificateEnds; ends != nil {
		out.gauge("shoal_certificate_expires_timestamp_seconds", "When the certificate for clients expires.", float64(ends.Unix()))
	}
	cat := v.Catalog
	for _, d := range cat.Nodes() {
		out.gauge("shoal_node_alive", "1 for members that gave a sign of life when this was asked for.", figure(v.Answers[d.ID]), "member", d.Name)
	}
	answer := 0
	for _, id := range v.Voters {
		if v.Answers[id] {
			answer++
		}
	}
	for _, z := range v.Zones(c.Placement) {
		out.gauge("shoal_zone_nodes", "Nodes of a zone.", float64(z.Nodes), "zone", z.Name)
		out.gauge("shoal_zone_nodes_answering", "Nodes of a zone that answer.", float64(z.Alive), "zone", z.Name)
		out.gauge("shoal_zone_votes", "Votes in a zone: writes stop with it when others have no majority.", float64(z.Votes), "zone", z.Name)
		out.gauge("shoal_zone_only_copies", "Indexes with a shard that has as many copies as it should, all of them in this zone.", float64(z.OnlyHere), "zone", z.Name)
	}
	out.gauge("shoal_voters", "Nodes that have a vote.", float64(len(v.Voters)))
	out.gauge("shoal_voters_answering", "Nodes that have a vote and answer: writes need more than half of the votes.", float64(answer))
	shards, silent, copies := 0, 0, map[string]int{"in sync": 0, "catching up": 0, "on dead nodes": 0}
	for _, x := range cat.Indexes() {
		shards += len(x.Shards)
		for i := range x.Shards {
			answers := false
			for _, r := range x.Shards[i].Replicas {
				switch {
				case !v.Answers[r.Node]:
					copies["on dead nodes"]++
				case r.State == wire.InSync:
					copies["in sync"]++
					answers = true
				default:
					copies["catching up"]++
				}
			}
			if !answers {
				silent++
			}
		}
	}
	out.gauge("shoal_shards_unavailable", "Shards without a copy that answers: searches of their indexes fail.", float64(silent))
	out.gauge("shoal_aliases", "Aliases of indexes.", float64(len(cat.Aliases())))
	out.gauge("shoal_shards", "Shards of all indexes.", float64(shards))
	for state, count := range copies {
		out.gauge("shoal_replicas", "Copies of shards in the cluster.", float64(count), "state", state)
	}
}

// sample sends single values.
type sample struct{ to chan<- prometheus.Metric }

func (s sample) gauge(name, help string, value float64, labels ...string) {
	s.send(prometheus.GaugeValue, name, help, value, labels)
}

func (s sample) counter(name, help string, value float64, labels ...string) {
	s.send(prometheus.CounterValue, name, help, value, labels)
}

// send sends one value. labels alternates names and values.
func (s sample) send(kind prometheus.ValueType, name, help string, value float64, labels []string) {
	var names, values []string
	for i := 0; i+1 < len(labels); i += 2 {
		names, values = append(names, labels[i]), append(values, labels[i+1])
	}
	s.to <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, names, nil), kind, value, values...)
}
