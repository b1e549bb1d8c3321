package observe

import (
	"strings"
	"sync"
	"time"

	gometrics "github.com/hashicorp/go-metrics"
	promsink "github.com/hashicorp/go-metrics/prometheus"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// unread are metrics that nobody reads and that cost more than what they measure: four
// quantiles for each Raft message, of the time to read its kind and its body, to pass it on
// and to wait for the answer. Heartbeats are such messages, and other metrics measure what
// matters about them (raft.rpc, raft.replication).
const unread = "shoal.raft.net"

// libraries is the sink for the metrics of Raft and gossip. There is one per process,
// because their library has one global sink.
var libraries = sync.OnceValues(func() (*promsink.PrometheusSink, error) {
	sink, err := promsink.NewPrometheusSinkFrom(promsink.PrometheusOpts{Name: "libraries", Registerer: prometheus.NewRegistry(), Expiration: time.Hour})
	if err != nil {
		return nil, err
	}
	cfg := gometrics.DefaultConfig("shoal")
	cfg.EnableHostname, cfg.EnableRuntimeMetrics = false, false
	cfg.BlockedPrefixes = []string{unread}
	_, err = gometrics.NewGlobal(cfg, sink)
	return sink, err
})

// Gather lists the metrics of the node. The sink of the libraries uses the name of a family
// as its help, which Gather replaces by a real text.
func (m *Metrics) Gather() ([]*dto.MetricFamily, error) {
	families, err := m.registry.Gather()
	for _, f := range families {
		if f.GetHelp() == f.GetName() {
			f.Help = new(helpOf(f.GetName()))
		}
	}
	return families, err
}

// helpOf explains a family of a library. For an unknown family it says where the
// explanation can be found.
func helpOf(family string) string {
	name := strings.TrimPrefix(family, "shoal_")
	if help, known := libraryHelp[name]; known {
		return help
	}
	library, dotted := "Raft", strings.ReplaceAll(name, "_", ".")
	if strings.HasPrefix(name, "memberlist_") {
		library = "gossip"
	}
	return "What the library for " + library + " calls " + dotted + "."
}

// libraryHelp explains the libraries' families, by their name without shoal_.
var libraryHelp = map[string]string{
	"memberlist_gossip":                    "Milliseconds to send one round of gossip.",
	"memberlist_node_instances":            "Nodes that gossip knows, by their state.",
	"memberlist_probeNode":                 "Milliseconds to ask another node for a sign of life.",
	"memberlist_pushPullNode":              "Milliseconds to exchange the whole list of nodes with another one.",
	"memberlist_size_local":                "Bytes of the list of nodes that this node sends.",
	"memberlist_size_remote":               "Bytes of the list of nodes that this node receives.",
	"memberlist_tcp_accept":                "Connections of gossip that other nodes opened.",
	"memberlist_tcp_connect":               "Connections of gossip that this node opened.",
	"memberlist_tcp_sent":                  "Bytes of gossip sent over connections.",
	"memberlist_udp_sent":                  "Bytes of gossip sent in packets.",
	"memberlist_udp_received":              "Bytes of gossip received in packets.",
	"memberlist_msg_alive":                 "News that a node is there.",
	"memberlist_msg_dead":                  "News that a node is dead.",
	"memberlist_msg_suspect":               "News that a node gave no sign of life and may be dead.",
	"memberlist_health_score":              "How late this node's own probes are: 0 is well, more makes it slower to call others dead.",
	"memberlist_degraded_probe":            "Probes that were sent although this node itself is late.",
	"memberlist_degraded_timeout":          "Suspicions that timed out although few nodes confirmed them.",
	"raft_apply":                           "Entries of the log that this node proposed as leader.",
	"raft_barrier":                         "Times that this node waited as leader until all entries before were applied.",
	"raft_boltdb_freePageBytes":            "Bytes in free pages of the log's file.",
	"raft_boltdb_freelistBytes":            "Bytes of the list of free pages in the log's file.",
	"raft_boltdb_getLog":                   "Milliseconds to read an entry from the log's file.",
	"raft_boltdb_logBatchSize":             "Bytes written to the log's file at once.",
	"raft_boltdb_logSize":                  "Bytes of an entry written to the log's file.",
	"raft_boltdb_logsPerBatch":             "Entries written to the log's file at once.",
	"raft_boltdb_numFreePages":             "Free pages of the log's file.",
	"raft_boltdb_numPendingPages":          "Pages of the log's file that will be free when their readers end.",
	"raft_boltdb_openReadTxn":              "Reads of the log's file that are open.",
	"raft_boltdb_storeLogs":                "Milliseconds to write entries to the log's file and sync it.",
	"raft_boltdb_totalReadTxn":             "Reads of the log's file since the start.",
	"raft_boltdb_txstats_cursorCount":      "Cursors that transactions on the log's file have opened.",
	"raft_boltdb_txstats_nodeCount":        "Nodes of the tree that transactions on the log's file have taken into memory.",
	"raft_boltdb_txstats_nodeDeref":        "Nodes of the tree that transactions on the log's file have copied out of the mapped file.",
	"raft_boltdb_txstats_pageAlloc":        "Bytes of pages that transactions on the log's file have taken.",
	"raft_boltdb_txstats_pageCount":        "Pages that transactions on the log's file have taken.",
	"raft_boltdb_txstats_rebalance":        "Times that transactions on the log's file have merged nodes of the tree.",
	"raft_boltdb_txstats_rebalanceTime":    "Milliseconds that transactions on the log's file took to merge nodes of the tree.",
	"raft_boltdb_txstats_spill":            "Nodes of the tree that transactions on the log's file have written to pages.",
	"raft_boltdb_txstats_spillTime":        "Milliseconds that transactions on the log's file took to write nodes of the tree to pages.",
	"raft_boltdb_txstats_split":            "Nodes of the tree that transactions on the log's file have split.",
	"raft_boltdb_txstats_write":            "Writes of pages to the log's file.",
	"raft_boltdb_txstats_writeTime":        "Milliseconds that pages took to be written to the log's file.",
	"raft_boltdb_writeCapacity":            "Entries a second that the log's file could take, by the time of the last write.",
	"raft_candidate_electSelf":             "Milliseconds to ask all voters for their vote.",
	"raft_candidate_preElectSelf":          "Milliseconds to ask all voters whether they would give their vote.",
	"raft_commitNumLogs":                   "Entries that became committed at once.",
	"raft_commitTime":                      "Milliseconds from the proposal of an entry on the leader until it is committed.",
	"raft_fsm_apply":                       "Milliseconds to apply an entry to the state.",
	"raft_fsm_applyBatch":                  "Milliseconds to apply a batch of entries to the state.",
	"raft_fsm_applyBatchNum":               "Entries applied to the state at once.",
	"raft_fsm_enqueue":                     "Milliseconds to hand committed entries on to be applied.",
	"raft_fsm_snapshot":                    "Milliseconds to begin a snapshot of the state.",
	"raft_fsm_restore":                     "Milliseconds to restore the state from a snapshot.",
	"raft_leader_dispatchLog":              "Milliseconds until the leader has new entries on its own disk.",
	"raft_leader_dispatchNumLogs":          "Entries that the leader writes to its own disk at once.",
	"raft_leader_lastContact":              "Milliseconds since the leader last heard from a majority: far more than usual means a slow network, or a node that stood still.",
	"raft_leader_oldestLogAge":             "Milliseconds since the oldest entry of the log was written.",
	"raft_peers":                           "Nodes that this leader sends the log to.",
	"raft_replication_appendEntries_logs":  "Entries sent to a follower at once.",
	"raft_replication_appendEntries_rpc":   "Milliseconds to send entries to a follower and have its answer.",
	"raft_replication_heartbeat":           "Milliseconds to send a heartbeat to a follower and have its answer.",
	"raft_replication_installSnapshot":     "Milliseconds to send a snapshot to a follower.",
	"raft_rpc_appendEntries":               "Milliseconds to take entries from the leader.",
	"raft_rpc_appendEntries_processLogs":   "Milliseconds to hand entries from the leader on to be applied.",
	"raft_rpc_appendEntries_storeLogs":     "Milliseconds to write entries from the leader to this disk.",
	"raft_rpc_installSnapshot":             "Milliseconds to take a snapshot from the leader.",
	"raft_rpc_processHeartbeat":            "Milliseconds to answer a heartbeat of the leader.",
	"raft_rpc_requestPreVote":              "Milliseconds to say whether this node would give another one its vote.",
	"raft_rpc_requestVote":                 "Milliseconds to give another node this one's vote, or not.",
	"raft_snapshot_create":                 "Milliseconds to prepare the file of a snapshot.",
	"raft_snapshot_persist":                "Milliseconds to write a snapshot.",
	"raft_snapshot_takeSnapshot":           "Milliseconds to take a snapshot.",
	"raft_state_candidate":                 "Times that this node stood for election.",
	"raft_state_follower":                  "Times that this node became a follower.",
	"raft_state_leader":                    "Times that this node became leader.",
	"raft_thread_fsm_saturation":           "Part of the time that the thread which applies entries is busy: near 1 it cannot keep up.",
	"raft_thread_main_saturation":          "Part of the time that the main thread of consensus is busy: near 1 it cannot keep up.",
	"raft_transition_heartbeat_timeout":    "Times that this node missed the leader's heartbeats and stood for election.",
	"raft_transition_leader_lease_timeout": "Times that this leader lost touch with a majority and stepped down.",
	"raft_verify_leader":                   "Times that this leader asked the others whether it still leads.",
}
