package consensus

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/hashicorp/raft"

	"shoal/consensus/entry"
	"shoal/consensus/voters"
	"shoal/wire"
)

func TestFarBehindFollowerGetsASnapshot(t *testing.T) {
	n := newNetwork(t)
	small := func(c *Config) {
		c.SnapshotThreshold, c.TrailingLogs, c.SnapshotInterval = 20, 5, 20*time.Millisecond
	}
	nodes := n.cluster(3, small)
	ctx := within(t, 30*time.Second)
	leader := n.leader()
	var lagging *member
	for _, m := range nodes {
		if m != leader {
			lagging = m
		}
	}
	n.stop(lagging)
	var last *wire.Result
	propose := func() {
		var err error
		if last, err = leader.Propose(ctx, addTask("movies")); err != nil {
			t.Fatal(err)
		}
	}
	for range 60 {
		propose()
	}
	eventually(t, "the log to be cut", func() bool {
		propose()
		first, err := leader.logs.FirstIndex()
		return err == nil && first > 30
	})
	i := int(lagging.id[len(lagging.id)-1] - '0')
	lagging = n.start(i, nil, small)
	if err := lagging.Barrier(ctx); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := lagging.Task(last.Task.UID); !ok || err != nil {
		t.Errorf("task %d is missing: %v", last.Task.UID, err)
	}
	if lagging.fsm.Generation() == 1 {
		t.Error("no snapshot was installed")
	}
	// The state that it received survives a restart, and the node can continue.
	n.stop(lagging)
	lagging = n.start(i, nil, small)
	propose()
	if err := lagging.Barrier(ctx); err != nil {
		t.Fatal(err)
	}
	if got := lagging.Catalog().StoredTasks(); got != leader.Catalog().StoredTasks() {
		t.Errorf("%d tasks instead of %d", got, leader.Catalog().StoredTasks())
	}
}

// A change that a client makes without a task is on every node when the client gets its
// answer.
func TestUpdateForClientsShowsOnEveryNode(t *testing.T) {
	n := newNetwork(t)
	nodes := n.cluster(3, nil)
	ctx := within(t, 20*time.Second)
	for i := range 60 {
		json := fmt.Appendf(nil, `{"round":%d}`, i)
		update := &wire.Update{Changes: []wire.Change{{PutValue: &wire.Value{Name: "features", JSON: json}}}, Everywhere: true}
		if _, err := nodes[i%3].Propose(ctx, &wire.Command{Update: update}); err != nil {
			t.Fatal(err)
		}
		for _, m := range nodes {
			if v, _ := m.Catalog().Value("features"); string(v.JSON) != string(json) {
				t.Fatalf("%s shows %s after %s was answered on %s", m.id, v.JSON, json, nodes[i%3].id)
			}
		}
	}
}

// A node that is cut off delays such an answer no longer than its lease.
func TestUpdateForClientsDoesNotWaitForLostNodes(t *testing.T) {
	n := newNetwork(t)
	n.cluster(3, nil)
	ctx := within(t, 20*time.Second)
	leader := n.leader()
	for _, m := range n.running() {
		if m != leader {
			n.stop(m)
			break
		}
	}
	update := &wire.Update{Changes: []wire.Change{{PutValue: &wire.Value{Name: "features", JSON: []byte(`{}`)}}}, Everywhere: true}
	begun := time.Now()
	if _, err := leader.Propose(ctx, &wire.Command{Update: update}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took > 4*time.Second {
		t.Errorf("the answer took %v with a lease of 1 s", took)
	}
}

func TestReadYourWritesOnEveryNode(t *testing.T) {
	n := newNetwork(t)
	nodes := n.cluster(3, nil)
	ctx := within(t, 20*time.Second)
	for i := range 30 {
		res, err := nodes[i%3].Propose(ctx, addTask("movies"))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok, err := nodes[i%3].Task(res.Task.UID); !ok || err != nil {
			t.Fatalf("task %d is not where it was proposed: %v", res.Task.UID, err)
		}
		other := nodes[(i+1)%3]
		if err := other.Barrier(ctx); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := other.Task(res.Task.UID); !ok || err != nil {
			t.Fatalf("task %d is not there after a barrier: %v", res.Task.UID, err)
		}
	}
}

// awaitLeases waits until every node may answer for tasks.
func awaitLeases(t *testing.T, nodes []*member) {
	t.Helper()
	eventually(t, "leases", func() bool {
		for _, m := range nodes {
			if fresh, _ := m.Lease(); !fresh {
				return false
			}
		}
		return true
	})
}

func TestFinishedTasksShowEverywhereAtOnce(t *testing.T) {
	n := newNetwork(t)
	// A busy machine does not change the leader.
	nodes := n.cluster(3, func(c *Config) { c.HeartbeatTimeout = 300 * time.Millisecond })
	awaitLeases(t, nodes)
	ctx := within(t, 20*time.Second)
	leader := n.leader()
	term, _ := leader.Leading()
	for range 20 {
		res, err := nodes[1].Propose(ctx, addTask("movies"))
		if err != nil {
			t.Fatal(err)
		}
		uid := res.Task.UID
		if _, err := leader.Propose(ctx, finish(term, uid)); err != nil {
			t.Fatal(err)
		}
		for _, m := range nodes {
			eventually(t, "visibility", func() bool {
				task, ok, err := m.Task(uid)
				return err == nil && ok && task.Status == wire.Succeeded && m.Visible(uid)
			})
			// As soon as one node shows it, all have applied it.
			for _, other := range nodes {
				if task, _, err := other.Task(uid); err != nil || task.Status != wire.Succeeded {
					t.Fatalf("%s shows task %d, %s has not applied it", m.id, uid, other.id)
				}
			}
		}
	}
}

// A client that was shown the end of a task by one node sees it in the list of another, even if
// the leader's word of it has not come there yet.
func TestABarrierBringsWhatOthersShow(t *testing.T) {
	n := newNetwork(t)
	nodes := n.cluster(3, func(c *Config) {
		c.HeartbeatTimeout = 300 * time.Millisecond
		call := c.Call
		c.Call = func(ctx context.Context, to wire.NodeID, req *Request) (*Reply, error) {
			if req.Watermark != 0 {
				return nil, wire.ErrUnavailable
			}
			return call(ctx, to, req)
		}
	})
	awaitLeases(t, nodes)
	ctx := within(t, 20*time.Second)
	leader := n.leader()
	term, _ := leader.Leading()
	for range 10 {
		res, err := leader.Propose(ctx, addTask("movies"))
		if err != nil {
			t.Fatal(err)
		}
		uid := res.Task.UID
		if _, err := leader.Propose(ctx, finish(term, uid)); err != nil {
			t.Fatal(err)
		}
		eventually(t, "visibility", func() bool { return leader.Visible(uid) })
		for _, m := range nodes {
			if err := m.Barrier(ctx); err != nil || !m.Visible(uid) {
				t.Fatalf("%s does not show task %d after a barrier: %v", m.id, uid, err)
			}
		}
	}
}

func TestACutOffNodeLosesItsLeaseBeforeOthersGoOn(t *testing.T) {
	n := newNetwork(t)
	nodes := n.cluster(3, nil)
	awaitLeases(t, nodes)
	ctx := within(t, 20*time.Second)
	leader := n.leader()
	term, _ := leader.Leading()
	cut := nodes[0]
	if cut == leader {
		cut = nodes[1]
	}
	n.isolate(cut)
	res, err := leader.Propose(ctx, addTask("movies"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := leader.Propose(ctx, finish(term, res.Task.UID)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "visibility", func() bool {
		shown := leader.Visible(res.Task.UID)
		if fresh, _ := cut.Lease(); shown && fresh {
			t.Fatal("a task shows as finished while a node without it holds a lease")
		}
		return shown
	})
	if _, stale := cut.Lease(); stale < 0 || stale > 10 {
		t.Errorf("stale for %d seconds", stale)
	}
	short, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	if err := cut.Barrier(short); err == nil {
		t.Error("a barrier passed on a node without contact")
	}
	n.rejoin(cut)
	eventually(t, "the lease to come back", func() bool { fresh, _ := cut.Lease(); return fresh })
	if task, _, err := cut.Task(res.Task.UID); err != nil || task == nil || task.Status != wire.Succeeded || !cut.Visible(res.Task.UID) {
		t.Errorf("a lease was granted before the node had caught up: %+v, %v", task, err)
	}
}

// Raft's own view is no proof: a leader that was frozen still believes that it leads.
func TestALeaderWithoutAMajorityLosesItsLeaseWhileItStillBelievesToLead(t *testing.T) {
	n := newNetwork(t)
	nodes := n.cluster(3, func(c *Config) { c.Lease = 300 * time.Millisecond })
	awaitLeases(t, nodes)
	leader := n.leader()
	l := leader.leading.Load()
	for _, m := range nodes {
		if m != leader {
			n.silence(m)
		}
	}
	eventually(t, "the lease to end", func() bool {
		if _, ok := leader.Leading(); !ok {
			t.Fatal("heartbeats still pass, so it must lead")
		}
		fresh, _ := leader.Lease()
		return !fresh
	})
	// It also gives no lease to a node that reports without having heard of it lately.
	for _, m := range nodes {
		if m == leader {
			continue
		}
		late := &Report{Node: m.id, At: leader.fsm.LastAt.Load(), Term: l.term, Echo: 1}
		if reply := l.leases.Report(late); reply.Leased {
			t.Errorf("%s was leased without a proof of leadership: %+v", m.id, reply)
		}
		now := &Report{Node: m.id, At: leader.fsm.LastAt.Load(), Term: l.term + 1, Echo: leader.ticks.Now()}
		if reply := l.leases.Report(now); reply.Leased {
			t.Errorf("%s was leased in another term: %+v", m.id, reply)
		}
	}
	for _, m := range nodes {
		n.rejoin(m)
	}
	awaitLeases(t, nodes)
}

func TestNoQuorumNoAnswer(t *testing.T) {
	n := newNetwork(t)
	nodes := n.cluster(3, func(c *Config) { c.ProposeTimeout = 300 * time.Millisecond })
	n.isolate(nodes[0])
	n.isolate(nodes[1])
	for _, m := range nodes {
		if _, err := m.Propose(within(t, 5*time.Second), addTask("movies")); !errors.Is(err, wire.ErrNoLeader) {
			t.Errorf("%s: %v", m.id, err)
		}
		if err := m.Barrier(within(t, 5*time.Second)); !errors.Is(err, wire.ErrNoLeader) {
			t.Errorf("barrier on %s: %v", m.id, err)
		}
	}
	n.rejoin(nodes[0])
	n.rejoin(nodes[1])
	n.leader()
}

func TestNodesJoinAndBecomeVoters(t *testing.T) {
	n := newNetwork(t)
	nominees := func() []wire.Node {
		var list []wire.Node
		for _, m := range n.running() {
			list = append(list, wire.Node{ID: m.id, Name: string(m.id), Voter: true, Data: true})
		}
		return list
	}
	quick := func(c *Config) {
		c.Nominees = nominees
		c.Membership = MembershipConfig{Interval: 10 * time.Millisecond, Rules: voters.Rules{PromoteAfter: -1}}
	}
	first := n.start(0, []wire.NodeID{nodeName(0)}, quick)
	n.leader()
	n.start(1, nil, quick)
	eventually(t, "a second member", func() bool { return len(first.Stats().Nonvoters) == 1 })
	n.start(2, nil, quick)
	eventually(t, "three voters", func() bool { return len(first.Stats().Voters) == 3 })
	n.start(3, nil, quick)
	eventually(t, "a fourth member without a vote", func() bool {
		s := first.Stats()
		return len(s.Voters) == 3 && len(s.Nonvoters) == 1
	})
	eventually(t, "the catalogue to know them", func() bool { return len(first.Catalog().Nodes()) == 4 })
	ctx := within(t, 20*time.Second)
	for _, m := range n.running() {
		if _, err := m.Propose(ctx, addTask("movies")); err != nil {
			t.Errorf("%s: %v", m.id, err)
		}
	}
	fourth := n.running()[3]
	n.stop(fourth)
	if err := n.running()[1].Remove(ctx, fourth.id); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the member to be gone", func() bool {
		m := n.leader()
		return len(m.Stats().Nonvoters) == 0 && len(m.Catalog().Nodes()) == 3
	})
}

func TestAnUnknownEntryStopsTheNode(t *testing.T) {
	n := newNetwork(t)
	m := n.cluster(1, nil)[0]
	ctx := within(t, 10*time.Second)
	if _, err := m.Propose(ctx, addTask("movies")); err != nil {
		t.Fatal(err)
	}
	before := m.Catalog().Applied()
	future := m.raft.Apply([]byte{99, 1, 2, 3}, time.Second)
	if err := future.Error(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-m.fatal:
		if !errors.Is(err, entry.ErrUnknown) {
			t.Errorf("stopped with %v", err)
		}
	case <-ctx.Done():
		t.Fatal("the node goes on")
	}
	if _, err := m.Propose(ctx, addTask("movies")); !errors.Is(err, entry.ErrUnknown) {
		t.Errorf("a proposal after it: %v", err)
	}
	if m.Catalog().Applied() != before {
		t.Error("the state has moved past the entry")
	}
	if _, err := m.fsm.Snapshot(); err == nil {
		t.Error("a stopped machine still takes snapshots")
	}
}

// A crash loses what was not synced of the state; the log brings it back.
func TestCrashOfASingleNode(t *testing.T) {
	n := newNetwork(t)
	n.nodes[nodeName(0)] = &member{id: nodeName(0), fs: vfs.NewCrashableMem(), logs: raft.NewInmemStore(), fatal: make(chan error, 1)}
	small := func(c *Config) {
		c.SnapshotThreshold, c.TrailingLogs, c.SnapshotInterval = 30, 10, 20*time.Millisecond
	}
	m := n.cluster(1, small)[0]
	ctx := within(t, 20*time.Second)
	accepted := 0
	for range 4 {
		for range 40 {
			if _, err := m.Propose(ctx, addTask("movies")); err != nil {
				t.Fatal(err)
			}
			accepted++
		}
		eventually(t, "the log to be cut", func() bool {
			first, err := m.logs.FirstIndex()
			return err == nil && first > uint64(accepted)/2
		})
		crashed := m.fs.(*vfs.MemFS).CrashClone(vfs.CrashCloneCfg{})
		n.stop(m)
		m.fs = crashed
		n.start(0, nil, small)
		n.leader()
		if got := m.Catalog().StoredTasks(); got != uint64(accepted) {
			t.Fatalf("%d tasks of %d after a crash", got, accepted)
		}
	}
}

// TestFirstMembersKeepTheirVotes: gossip is slower than the first election.
func TestFirstMembersKeepTheirVotes(t *testing.T) {
	n := newNetwork(t)
	looks := make(chan struct{}, 100)
	n.cluster(3, func(c *Config) {
		c.Membership.Interval = 5 * time.Millisecond
		self := wire.Node{ID: c.NodeID, Name: string(c.NodeID), Voter: true}
		c.Nominees = func() []wire.Node {
			select {
			case looks <- struct{}{}:
			default:
			}
			return []wire.Node{self}
		}
	})
	for range 20 {
		<-looks
	}
	if voters := n.leader().Stats().Voters; len(voters) != 3 {
		t.Fatalf("the voters are %v", voters)
	}
}
