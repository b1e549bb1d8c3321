package consensus

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/hashicorp/raft"
	"go.uber.org/goleak"

	"shoal/consensus/lull"
	"shoal/consensus/raftlog"
	"shoal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testLog shows everything when SHOAL_TEST_LOG is set.
func testLog() *slog.Logger {
	if os.Getenv("SHOAL_TEST_LOG") == "" {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// network joins groups in one process; a node can be cut off.
type network struct {
	t testing.TB

	mu    sync.Mutex
	nodes map[wire.NodeID]*member
	cut   map[wire.NodeID]bool
	walk  map[wire.NodeID]bool // heartbeats do not carry their reports, as with older programs
	// late, if there is one, is closed when answers of followers arrive that are under way until
	// then, and waiting is how many there are.
	late    chan struct{}
	waiting int
}

// member is a node of a test: its disk survives the group.
type member struct {
	*Group
	id        wire.NodeID
	net       *network
	transport *raft.InmemTransport
	fs        vfs.FS
	logs      *raft.InmemStore
	fatal     chan error
}

// lulled is raft's transport in memory, with the messages that an idle leader holds back.
func (m *member) lulled(g *Group) raft.Transport { return &lulled{m.transport, g, m.net} }

type lulled struct {
	*raft.InmemTransport
	group *Group
	net   *network
}

func (t *lulled) AppendEntries(id raft.ServerID, to raft.ServerAddress, m *raft.AppendEntriesRequest, answer *raft.AppendEntriesResponse) error {
	return t.group.send(id, m, answer, func(m *raft.AppendEntriesRequest) error {
		err := t.InmemTransport.AppendEntries(id, to, m, answer)
		if err == nil {
			t.net.carry(t.group.cfg.NodeID, wire.NodeID(id), m, answer)
		}
		t.net.delay()
		return err
	})
}

// delay keeps an answer back while answers are late.
func (n *network) delay() {
	n.mu.Lock()
	late := n.late
	if late != nil {
		n.waiting++
	}
	n.mu.Unlock()
	if late != nil {
		<-late
	}
}

// carry is what the transport of the node that is sent a heartbeat does in a process.
func (n *network) carry(from, to wire.NodeID, m *raft.AppendEntriesRequest, answer *raft.AppendEntriesResponse) {
	n.mu.Lock()
	var g *Group
	if there := n.nodes[to]; there != nil && !n.cut[from] && !n.cut[to] && !n.walk[to] {
		g = there.Group
	}
	n.mu.Unlock()
	if g != nil && lull.IsHeartbeat(m) {
		g.reporter.Load().takeCarried(m, answer)
	}
}

// AppendEntriesPipeline is not supported, for the reason given in transport.Open.
func (t *lulled) AppendEntriesPipeline(raft.ServerID, raft.ServerAddress) (raft.AppendPipeline, error) {
	return nil, raft.ErrPipelineReplicationNotSupported
}

func newNetwork(t testing.TB) *network {
	n := &network{t: t, nodes: make(map[wire.NodeID]*member), cut: make(map[wire.NodeID]bool), walk: make(map[wire.NodeID]bool)}
	t.Cleanup(func() {
		for _, m := range n.running() {
			n.stop(m)
		}
	})
	return n
}

func (n *network) running() []*member {
	n.mu.Lock()
	defer n.mu.Unlock()
	var list []*member
	for i := range len(n.nodes) {
		if m := n.nodes[nodeName(i)]; m != nil && m.Group != nil {
			list = append(list, m)
		}
	}
	return list
}

// groups are the running groups, for callers beside the one that stops nodes.
func (n *network) groups() []*Group {
	n.mu.Lock()
	defer n.mu.Unlock()
	var list []*Group
	for i := range len(n.nodes) {
		if m := n.nodes[nodeName(i)]; m != nil && m.Group != nil {
			list = append(list, m.Group)
		}
	}
	return list
}

func nodeName(i int) wire.NodeID { return wire.NodeID(fmt.Sprintf("node-%d", i)) }

func (n *network) call(from wire.NodeID) func(context.Context, wire.NodeID, *Request) (*Reply, error) {
	return func(ctx context.Context, to wire.NodeID, req *Request) (*Reply, error) {
		n.mu.Lock()
		m, broken := n.nodes[to], n.cut[from] || n.cut[to]
		var g *Group
		if m != nil {
			g = m.Group
		}
		n.mu.Unlock()
		if broken || g == nil {
			return nil, wire.ErrUnavailable
		}
		// The link carries only bytes.
		body, err := wire.Marshal(req)
		if err != nil {
			return nil, err
		}
		got := new(Request)
		if err := wire.Unmarshal(body, got); err != nil {
			return nil, err
		}
		return g.Serve(ctx, got)
	}
}

// start opens a node, new or with the disk it had.
func (n *network) start(i int, bootstrap []wire.NodeID, change func(*Config)) *member {
	n.t.Helper()
	id := nodeName(i)
	n.mu.Lock()
	m := n.nodes[id]
	if m == nil {
		m = &member{id: id, net: n, fs: vfs.NewMem(), logs: raft.NewInmemStore(), fatal: make(chan error, 1)}
		n.nodes[id] = m
	}
	n.mu.Unlock()
	_, m.transport = raft.NewInmemTransport(raftlog.AddressOf(id))
	cfg := Config{
		Dir: "/group", NodeID: id, Bootstrap: bootstrap, Call: n.call(id), Logger: testLog().With("node", id),
		HeartbeatTimeout: 100 * time.Millisecond, Lease: time.Second,
		OnFatal:   func(err error) { m.fatal <- err },
		transport: m.lulled, FS: m.fs, RaftLog: func(string) (Log, error) { return kept{m.logs, m.logs}, nil },
	}
	if change != nil {
		change(&cfg)
	}
	for _, other := range n.running() {
		if other.id != id {
			m.transport.Connect(other.transport.LocalAddr(), other.transport)
			other.transport.Connect(m.transport.LocalAddr(), m.transport)
		}
	}
	g, err := Open(cfg)
	if err != nil {
		n.t.Fatal(err)
	}
	n.mu.Lock()
	m.Group = g
	n.mu.Unlock()
	return m
}

// stop closes a node; its disk stays.
func (n *network) stop(m *member) {
	n.mu.Lock()
	g := m.Group
	m.Group = nil
	n.mu.Unlock()
	n.isolate(m)
	if err := g.Close(); err != nil {
		n.t.Errorf("close %s: %v", m.id, err)
	}
	n.mu.Lock()
	delete(n.cut, m.id)
	n.mu.Unlock()
}

// isolate cuts a node off from all others.
func (n *network) isolate(m *member) {
	n.mu.Lock()
	n.cut[m.id] = true
	n.mu.Unlock()
	m.transport.DisconnectAll()
	for _, other := range n.running() {
		if other != m {
			other.transport.Disconnect(m.transport.LocalAddr())
		}
	}
}

// silence ends a node's calls to others and theirs to it; raft's own connections
// stay.
func (n *network) silence(m *member) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut[m.id] = true
}

// rejoin undoes isolate and silence.
func (n *network) rejoin(m *member) {
	for _, other := range n.running() {
		if other != m {
			m.transport.Connect(other.transport.LocalAddr(), other.transport)
			other.transport.Connect(m.transport.LocalAddr(), m.transport)
		}
	}
	n.mu.Lock()
	delete(n.cut, m.id)
	n.mu.Unlock()
}

// cluster starts n voters and waits for their leader.
func (n *network) cluster(size int, change func(*Config)) []*member {
	n.t.Helper()
	var ids []wire.NodeID
	for i := range size {
		ids = append(ids, nodeName(i))
	}
	var all []*member
	for i := range size {
		all = append(all, n.start(i, ids, change))
	}
	n.leader()
	return all
}

// leader waits for a node that leads and is reachable.
func (n *network) leader() *member {
	n.t.Helper()
	var found *member
	eventually(n.t, "a leader", func() bool {
		for _, m := range n.running() {
			n.mu.Lock()
			cut := n.cut[m.id]
			n.mu.Unlock()
			if _, ok := m.Leading(); ok && !cut && m.Catalog().ClusterID() != "" {
				found = m
				return true
			}
		}
		return false
	})
	return found
}

// eventually waits for a condition with a bound.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func within(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

func addTask(index string) *wire.Command {
	return &wire.Command{Enqueue: &wire.Enqueue{Task: wire.Task{IndexUID: &index, Kind: "documentAdditionOrUpdate"}}}
}

// finish is the commit that ends a task as succeeded.
func finish(term uint64, uids ...uint32) *wire.Command {
	c := wire.Commit{Term: term, Batch: wire.Batch{UID: wire.NoBatch, Tasks: uids}}
	for _, uid := range uids {
		c.Results = append(c.Results, wire.TaskResult{UID: uid, Status: wire.Succeeded})
	}
	return &wire.Command{Commit: []wire.Commit{c}}
}

// kept is a log that stays open when its member closes it.
type kept struct {
	raft.LogStore
	raft.StableStore
}

func (kept) Close() error { return nil }
