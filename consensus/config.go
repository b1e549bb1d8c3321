package consensus

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/hashicorp/raft"

	"shoal/consensus/fsm"
	"shoal/consensus/lease"
	"shoal/consensus/raftlog"
	"shoal/consensus/voters"
	"shoal/wire"
)

// Config configures a Group. A zero duration or size means the default in brackets.
type Config struct {
	// Dir is the group's own folder: the log, the state and the snapshots.
	Dir string
	// NodeID is this node's uuid; it never changes for the life of Dir.
	NodeID wire.NodeID
	// Bootstrap lists the voters of a new cluster, the same on each of them. It is
	// ignored once Dir holds any state. nil never forms a cluster: the node waits to be
	// added to one.
	Bootstrap []wire.NodeID

	// Listener yields the raft connections of peers; the Group closes it. Dial connects to
	// a node by its id; the caller knows the addresses.
	Listener net.Listener
	Dial     func(node wire.NodeID, timeout time.Duration) (net.Conn, error)
	// Call carries one request to another node, whose Group.Serve answers it.
	// Conditions of wire must keep their identity on the way.
	Call func(ctx context.Context, node wire.NodeID, req *Request) (*Reply, error)

	// Opened, if not nil, is called once the state is open: Catalog works, and Open has not
	// asked other nodes yet.
	Opened func(*Group)
	// Twin, if not nil, tells whether another process with this node's id answers at an
	// address.
	Twin func(ctx context.Context, addr string) bool

	// Nominees lists the nodes of this cluster that gossip sees alive, this node included.
	// The leader asks each by Call before it admits it. If nil, the leader never changes
	// the membership.
	Nominees func() []wire.Node
	// Told, if not nil, receives the leader's verdicts about this node's membership, from
	// any goroutine. It must not block.
	Told       func(*Verdict)
	Membership MembershipConfig

	// HeartbeatTimeout (500 ms) is how long a follower waits for its leader, and how long a
	// leader continues without a majority. ElectionTimeout has the same default.
	HeartbeatTimeout time.Duration
	ElectionTimeout  time.Duration
	// Lease (900 ms) is how long a node may answer for tasks after the leader heard from it
	// and from a majority. The end of a task may have to wait that long for a node that
	// died (docs/adr/0003).
	Lease time.Duration
	// FormerLease (1.5 s) is the length of leases that programs before lease.ShortSince
	// grant. The timeout of calls and the threshold for slow nodes are fractions of it.
	FormerLease time.Duration
	// ProposeTimeout (5 s) bounds a proposal without a leader.
	ProposeTimeout time.Duration
	// DiskTimeout (10 s) is how long one write to the log may take before the node gives
	// up. Otherwise a leader with a dead disk would lead for ever.
	DiskTimeout time.Duration

	SnapshotInterval  time.Duration // 30 s; a node that starts again replays the entries since the last one
	SnapshotThreshold uint64        // 8192 entries since the last one
	TrailingLogs      uint64        // 10240 entries kept before a snapshot
	CacheBytes        int64         // block cache of the state's store, 16 MiB

	// Clock is this node's clock.
	Clock Clock

	Logger *slog.Logger
	// OnFatal is called, from any goroutine, when the node must stop: the log has an entry
	// that it does not understand, or its disk failed. nil panics.
	OnFatal func(error)

	// FS is the file system of Dir; nil means the operating system's. RaftLog opens the log
	// in Dir; nil means a bbolt file, which is always on the operating system's file
	// system.
	FS      vfs.FS
	RaftLog func(dir string) (Log, error)

	// Observer hears what this group does that clients may come to know; nil: nobody does.
	Observer Observer

	// Tests replace the network.
	transport func(*Group) raft.Transport
}

// Observer hears of the steps of a group that decide what clients may be told: the
// simulation compares them with the model of docs/model. Its methods are called at the
// moment of the step, from any goroutine and some with locks held: they must neither block
// nor call the group, and keep no slice that they are given.
type Observer interface {
	fsm.Observer
	lease.Observer
}

// Log is where raft keeps its log, term and vote. A call that returns without an error has
// made its data durable.
type Log = raftlog.Log

// MembershipConfig tunes how the leader maintains the set of voters.
type MembershipConfig struct {
	// Interval (1 s) is the time between two looks of the leader.
	Interval time.Duration
	// MaxLag (250) is how many entries a node may be behind and still count as keeping up.
	MaxLag uint64
	// Rules default to 10 s for PromoteAfter, 5 min for DeadAfter, 15 s for ReplaceAfter and 5
	// for MaxVoters.
	voters.Rules
}

func (c *Config) defaults() error {
	if c.Dir == "" || c.NodeID == "" {
		return errors.New("consensus: Dir and NodeID are required")
	}
	if c.transport == nil && (c.Listener == nil || c.Dial == nil) {
		return errors.New("consensus: Listener and Dial are required")
	}
	orDefault(&c.HeartbeatTimeout, 500*time.Millisecond)
	orDefault(&c.ElectionTimeout, c.HeartbeatTimeout)
	orDefault(&c.Lease, 900*time.Millisecond)
	orDefault(&c.FormerLease, 1500*time.Millisecond)
	orDefault(&c.ProposeTimeout, 5*time.Second)
	orDefault(&c.DiskTimeout, 10*time.Second)
	orDefault(&c.SnapshotInterval, 30*time.Second)
	orDefault(&c.SnapshotThreshold, 8192)
	orDefault(&c.TrailingLogs, 10240)
	orDefault(&c.CacheBytes, 16<<20)
	orDefault(&c.Membership.Interval, time.Second)
	orDefault(&c.Membership.PromoteAfter, 10*time.Second)
	orDefault(&c.Membership.DeadAfter, 5*time.Minute)
	orDefault(&c.Membership.ReplaceAfter, 15*time.Second)
	orDefault(&c.Membership.MaxLag, 250)
	orDefault(&c.Membership.MaxVoters, 5)
	c.Clock.defaults()
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.OnFatal == nil {
		c.OnFatal = func(err error) { panic(err) }
	}
	if c.FS == nil {
		c.FS = vfs.Default
	}
	return nil
}

func orDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (c *Config) path(name string) string { return filepath.Join(c.Dir, name) }

// commitTimeout is how soon followers hear of a commit when nothing else is appended. It is
// short enough to be quick, and long enough to be cheap with many members (architecture 4).
func commitTimeout(members int) time.Duration {
	return min(max(2*time.Millisecond*time.Duration(members), 5*time.Millisecond), 50*time.Millisecond)
}

func (c *Config) raft(members int, log *slog.Logger, leading chan<- bool) *raft.Config {
	r := raft.DefaultConfig()
	r.LocalID = raft.ServerID(c.NodeID)
	r.HeartbeatTimeout = c.HeartbeatTimeout
	r.ElectionTimeout = c.ElectionTimeout
	r.LeaderLeaseTimeout = c.HeartbeatTimeout
	r.CommitTimeout = commitTimeout(members)
	r.MaxAppendEntries = 256
	r.BatchApplyCh = true
	r.ShutdownOnRemove = false
	r.NoSnapshotRestoreOnStart = true
	r.NoLegacyTelemetry = true // otherwise each metric of a node is kept twice, once with its id in the name
	r.SnapshotInterval = c.SnapshotInterval
	r.SnapshotThreshold = c.SnapshotThreshold
	r.TrailingLogs = c.TrailingLogs
	r.NotifyCh = leading
	r.Logger = raftlog.NewLogger(log)
	return r
}
