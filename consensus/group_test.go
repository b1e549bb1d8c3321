package consensus

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"shoal/wire"
)

// openDisk opens a single node on a real disk, as a process does.
func openDisk(t testing.TB, dir string) *Group {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g, err := Open(Config{
		Dir: dir, NodeID: "single", Bootstrap: []wire.NodeID{"single"}, Logger: testLog(),
		Listener: listener,
		Dial: func(wire.NodeID, time.Duration) (net.Conn, error) {
			return nil, errors.New("there is no other node")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func awaitLeading(t testing.TB, g *Group) uint64 {
	t.Helper()
	var term uint64
	eventually(t, "leadership", func() bool {
		var ok bool
		term, ok = g.Leading()
		return ok
	})
	return term
}

func TestSingleNodeOnDisk(t *testing.T) {
	dir := t.TempDir()
	begun := time.Now()
	g := openDisk(t, dir)
	awaitLeading(t, g)
	t.Logf("leading after %s", time.Since(begun))
	ctx := within(t, 10*time.Second)
	begun = time.Now()
	for i := range 20 {
		res, err := g.Propose(ctx, addTask("movies"))
		if err != nil || res.Task.UID != uint32(i) {
			t.Fatalf("proposal %d: %+v, %v", i, res, err)
		}
	}
	t.Logf("%s per proposal", time.Since(begun)/20)
	if fresh, _ := g.Lease(); !fresh {
		t.Error("a leader alone has its lease")
	}
	id := g.Catalog().ClusterID()
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Propose(ctx, addTask("movies")); !errors.Is(err, wire.ErrClosed) {
		t.Errorf("proposal after Close: %v", err)
	}

	g = openDisk(t, dir)
	defer g.Close()
	term := awaitLeading(t, g)
	if g.Catalog().ClusterID() != id || id == "" {
		t.Errorf("cluster id %q became %q", id, g.Catalog().ClusterID())
	}
	tasks, total, err := g.Tasks(&wire.TaskQuery{Limit: 3})
	if err != nil || total != 20 || len(tasks) != 3 || tasks[0].UID != 19 {
		t.Fatalf("tasks after restart: %v of %d, %v", tasks, total, err)
	}
	res, err := g.Propose(ctx, finish(term, 3, 4))
	if err != nil || res.Fenced {
		t.Fatalf("commit: %+v, %v", res, err)
	}
	if !g.Visible(3) || !g.Visible(5) {
		t.Error("with one node everything is visible at once")
	}
	if err := g.Barrier(ctx); err != nil {
		t.Errorf("barrier: %v", err)
	}
	if s := g.Stats(); s.Tasks != 20 || s.Unfinished != 18 || s.Batches != 1 || s.State != "Leader" || len(s.Voters) != 1 {
		t.Errorf("stats: %+v", s)
	}
}

// Three nodes over real connections, each known by its id alone: when they come
// back with other addresses they find each other again.
func TestClusterOverTCPWithChangingAddresses(t *testing.T) {
	var mu sync.Mutex
	addrs := make(map[wire.NodeID]string)
	groups := make(map[wire.NodeID]*Group)
	ids := []wire.NodeID{"a", "b", "c"}
	dirs := map[wire.NodeID]string{"a": t.TempDir(), "b": t.TempDir(), "c": t.TempDir()}
	open := func(id wire.NodeID) *Group {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		addrs[id] = listener.Addr().String()
		mu.Unlock()
		g, err := Open(Config{
			Dir: dirs[id], NodeID: id, Bootstrap: ids, Logger: testLog().With("node", id), Listener: listener,
			HeartbeatTimeout: 150 * time.Millisecond,
			Dial: func(to wire.NodeID, timeout time.Duration) (net.Conn, error) {
				mu.Lock()
				addr := addrs[to]
				mu.Unlock()
				return net.DialTimeout("tcp", addr, timeout)
			},
			Call: func(ctx context.Context, to wire.NodeID, req *Request) (*Reply, error) {
				mu.Lock()
				g := groups[to]
				mu.Unlock()
				if g == nil {
					return nil, wire.ErrUnavailable
				}
				return g.Serve(ctx, req)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		groups[id] = g
		mu.Unlock()
		return g
	}
	ctx := within(t, 20*time.Second)
	for round := range 2 {
		var all []*Group
		for _, id := range ids {
			all = append(all, open(id))
		}
		for i, g := range all {
			res, err := g.Propose(ctx, addTask("movies"))
			if err != nil || int(res.Task.UID) != 3*round+i {
				t.Errorf("round %d, node %d: %+v, %v", round, i, res, err)
			}
		}
		for _, g := range all {
			if err := g.Close(); err != nil {
				t.Error(err)
			}
		}
		mu.Lock()
		clear(groups)
		mu.Unlock()
	}
}

func TestConcurrentProposalsShareSyncs(t *testing.T) {
	g := openDisk(t, t.TempDir())
	defer g.Close()
	awaitLeading(t, g)
	const workers, each = 64, 8
	begun := time.Now()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range each {
				if _, err := g.Propose(context.Background(), addTask("movies")); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d proposals in %s", workers*each, time.Since(begun))
	if uid, _ := g.Catalog().LastTask(); uid != workers*each-1 {
		t.Errorf("last task is %d", uid)
	}
}

func TestLeaderLoss(t *testing.T) {
	n := newNetwork(t)
	n.cluster(3, nil)
	ctx := within(t, 30*time.Second)
	var mu sync.Mutex
	accepted := make(map[string]uint32)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for w := range 3 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				// Every request goes to another node and is repeated with one id.
				id := fmt.Sprintf("%d-%d", w, i)
				cmd := addTask("movies")
				cmd.Enqueue.RequestID = id
				for attempt := 0; ctx.Err() == nil; attempt++ {
					nodes := n.groups()
					res, err := nodes[(w+i+attempt)%len(nodes)].Propose(ctx, cmd)
					if err != nil {
						continue
					}
					mu.Lock()
					if uid, again := accepted[id]; again && uid != res.Task.UID {
						t.Errorf("%s became task %d and %d", id, uid, res.Task.UID)
					}
					accepted[id] = res.Task.UID
					mu.Unlock()
					break
				}
			}
		})
	}
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(accepted)
	}
	for round := range 3 {
		before := count()
		eventually(t, "progress", func() bool { return count() > before+20 })
		old := n.leader()
		if round == 1 {
			n.isolate(old)
			eventually(t, "another leader", func() bool { return n.leader() != old })
			before = count()
			n.rejoin(old)
		} else {
			i := int(old.id[len(old.id)-1] - '0')
			n.stop(old)
			n.leader()
			n.start(i, nil, nil)
		}
	}
	close(stop)
	wg.Wait()
	leader := n.leader()
	if err := leader.Barrier(ctx); err != nil {
		t.Fatal(err)
	}
	seen := make(map[uint32]bool)
	for id, uid := range accepted {
		if seen[uid] {
			t.Errorf("task %d was given twice, once to %s", uid, id)
		}
		seen[uid] = true
		if _, ok, err := leader.Task(uid); !ok || err != nil {
			t.Errorf("task %d of %s is lost: %v", uid, id, err)
		}
	}
	if last, _ := leader.Catalog().LastTask(); int(last)+1 != len(accepted) {
		t.Errorf("%d requests made %d tasks", len(accepted), last+1)
	}
	for _, m := range n.running() {
		if err := m.Barrier(ctx); err != nil {
			t.Errorf("barrier on %s: %v", m.id, err)
		}
		if got := m.Catalog().StoredTasks(); got != uint64(len(accepted)) {
			t.Errorf("%s has %d tasks of %d", m.id, got, len(accepted))
		}
	}
}
