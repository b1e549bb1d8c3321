package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// older is the commit whose program is upgraded from: the last one whose nodes call each other
// by gRPC. Before a first release no older one is promised an upgrade (docs/adr/0034).
const older = "d347c08"

// Row 15 of the failure matrix: a cluster whose secret is a passphrase is upgraded
// node by node while clients write and search; a new node joins while both programs
// are there, and one node goes back and forth.
func TestRow15RollingUpgradeWithTraffic(t *testing.T) {
	t.Parallel()
	c := rig.New(t, 3, rig.Shards(2), "SHOAL_CLUSTER_SECRET=cluster test secret 0123456789", "SHOAL_MASTER_KEY=the key of a cluster that is upgraded")
	newer := c.Binary
	old, err := clustertest.BuildAt(t.Context(), t.TempDir(), older)
	if errors.Is(err, clustertest.ErrNoHistory) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	c.Binary = old
	for _, n := range c.Nodes {
		n.Key = "the key of a cluster that is upgraded"
	}
	rig.Start(t, c)
	write(t, c.Nodes[0], "PATCH", "/indexes/docs/settings", map[string]any{"filterableAttributes": []string{"even", "id"}, "sortableAttributes": []string{"id"}})
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 500))
	fix(t, c.Nodes[0])
	traffic := &traffic{t: t, acknowledged: map[int]bool{}, nodes: append([]*clustertest.Node(nil), c.Nodes...)}
	traffic.start(c.Nodes)
	defer traffic.stop()

	put := func(n *clustertest.Node, binary, step string) {
		t.Helper()
		traffic.without(n, func() {
			n.Stop()
			c.Binary = binary
			restart(t, c, n)
		})
		settled(t, c, len(c.Nodes), step)
		sameAnswers(t, c.Nodes, "fixed")
		t.Logf("%5.1f s: %s; %d writes acknowledged, %d searches answered", time.Since(begin).Seconds(), step, traffic.written(), traffic.searched())
	}
	put(c.Nodes[0], newer, "n1 runs the new program")
	if status, b, err := c.Nodes[0].Do(t.Context(), "GET", "/cluster/analytics", nil); err != nil || status != 200 || !strings.Contains(string(b), `"nodes":["n1"],"missingNodes":["n2","n3"]`) {
		t.Errorf("n1 does not say that it alone counts searches: %d %s %v", status, b, err)
	}
	// Followers of both programs, under a leader of either one.
	for range 10 {
		l := leader(t, c)
		if l == c.Nodes[0] {
			break
		}
		put(l, old, l.Name+", which led, is restarted with the old program")
	}
	n4, err := c.Join()
	if err != nil {
		t.Fatal(err)
	}
	n4.Key = c.Nodes[0].Key
	c.Binary = newer
	restart(t, c, n4)
	settled(t, c, 4, "n4 joined with the new program")
	sameAnswers(t, c.Nodes, "fixed")
	if _, b, err := c.Nodes[3].Do(t.Context(), "GET", "/cluster/state", nil); err != nil || !strings.Contains(string(b), `"condition":"versionsMixed"`) {
		t.Errorf("the state does not say that versions are mixed: %s %v", b, err)
	}
	wanted(t, c.Nodes[3], 2)
	put(c.Nodes[0], old, "n1 runs the old program again")
	put(c.Nodes[0], newer, "n1 runs the new program for the second time")
	put(c.Nodes[1], newer, "n2 runs the new program")
	wanted(t, c.Nodes[1], 2)
	put(c.Nodes[2], newer, "n3 runs the new program")
	eventually(t, time.Minute, "a copy on each of the four nodes, once all run the new program", func(context.Context) bool {
		p := holders(t, c.Nodes[3], "docs")
		return len(p) == 2 && len(p[0]) == 4 && len(p[1]) == 4
	})
	wanted(t, c.Nodes[2], 4)
	lateOldProgram(t, c, old, newer)
	traffic.stop()

	write(t, c.Nodes[3], "POST", "/indexes/docs/documents", documents(500, 20)) // all before it is done
	if n := traffic.written(); n < 50 {
		t.Errorf("only %d writes were acknowledged", n)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	haveAll(ctx, t, c, traffic.acknowledged)
	sameAsFresh(ctx, t, c)
}

// wanted asks a node how many copies index docs should have.
func wanted(t *testing.T, n *clustertest.Node, copies int) {
	t.Helper()
	s, err := n.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range s.Indexes {
		if x.UID == "docs" && x.ReplicaGoal != copies {
			t.Errorf("%s wants %d copies of docs, not %d: %s", n.Name, x.ReplicaGoal, copies, x.ReplicaReason)
		}
	}
}

// lateOldProgram adds a node with the old program after all others left it: it stays out
// and says why, and comes in with the new one.
func lateOldProgram(t *testing.T, c *clustertest.Cluster, old, newer string) {
	t.Helper()
	n, err := c.Join()
	if err != nil {
		t.Fatal(err)
	}
	n.Key = c.Nodes[0].Key
	c.Binary = old
	if err := n.Start(c); err != nil {
		t.Fatal(err)
	}
	eventually(t, 30*time.Second, n.Name+" to say that its program is too old", func(context.Context) bool {
		return strings.Contains(n.Tail(1000), "its program is older than the log of the cluster")
	})
	n.Stop()
	c.Binary = newer
	restart(t, c, n)
	settled(t, c, len(c.Nodes), n.Name+" joined with the new program")
}

// settled waits until all nodes see members members, all there, and every copy in sync.
func settled(t *testing.T, c *clustertest.Cluster, members int, step string) {
	t.Helper()
	eventually(t, 40*time.Second, "all copies in sync after "+step, func(ctx context.Context) bool {
		for _, n := range c.Nodes {
			s, err := n.Status(ctx)
			if err != nil || !s.Healthy || s.Leader == "" || len(s.Nodes) != members {
				return false
			}
			for _, d := range s.Nodes {
				if !d.Alive {
					return false
				}
			}
		}
		return true
	})
}

// sameAsFresh compares what the nodes answer with each other and with one node of
// the new program that got the same documents in the same order.
func sameAsFresh(ctx context.Context, t *testing.T, c *clustertest.Cluster) {
	t.Helper()
	fresh := rig.New(t, 1, rig.Shards(1))
	rig.Start(t, fresh)
	status, b, err := c.Nodes[0].Do(ctx, "GET", "/indexes/docs/documents?limit=1000000", nil)
	if err != nil || status != http.StatusOK {
		t.Fatalf("documents: %d %v", status, err)
	}
	var page struct {
		Results []json.RawMessage `json:"results"`
	}
	if err := json.Unmarshal(b, &page); err != nil {
		t.Fatal(err)
	}
	write(t, fresh.Nodes[0], "PATCH", "/indexes/docs/settings", map[string]any{"filterableAttributes": []string{"even", "id"}, "sortableAttributes": []string{"id"}})
	write(t, fresh.Nodes[0], "POST", "/indexes/docs/documents", page.Results)
	sameAnswers(t, append([]*clustertest.Node{fresh.Nodes[0]}, c.Nodes...), "docs")
}

// fix makes an index that nobody changes any more, with vectors.
func fix(t *testing.T, n *clustertest.Node) {
	t.Helper()
	write(t, n, "PATCH", "/indexes/fixed/settings", map[string]any{
		"filterableAttributes": []string{"even", "id"}, "sortableAttributes": []string{"id"},
		"embedders": map[string]any{"v": map[string]any{"source": "userProvided", "dimensions": 3}},
	})
	var list []map[string]any
	for id := range 300 {
		list = append(list, map[string]any{
			"id": id, "title": fmt.Sprintf("document number %d", id), "even": id%2 == 0,
			"_vectors": map[string]any{"v": []int{id % 7, id % 11, 1 + id%13}},
		})
	}
	write(t, n, "POST", "/indexes/fixed/documents", list)
}

// sameAnswers compares what nodes answer to searches of all kinds.
func sameAnswers(t *testing.T, nodes []*clustertest.Node, index string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	queries := []map[string]any{
		{"limit": 100},
		{"q": "document number", "limit": 50},
		{"q": "docment numbre 13", "limit": 50, "facets": []string{"even"}},
		{"q": "numb", "filter": "even = true AND id > 100", "limit": 100},
		{"sort": []string{"id:desc"}, "limit": 1000},
		{"q": "document", "page": 3, "hitsPerPage": 40, "showRankingScore": true},
	}
	if index == "fixed" {
		queries = append(queries, map[string]any{"vector": []int{1, 2, 3}, "hybrid": map[string]any{"embedder": "v", "semanticRatio": 1}, "limit": 50},
			map[string]any{"q": "number", "vector": []int{3, 1, 2}, "hybrid": map[string]any{"embedder": "v", "semanticRatio": 0.5}, "limit": 50})
	}
	for _, q := range queries {
		var first []byte
		for _, n := range nodes {
			status, b, err := n.Do(ctx, "POST", "/indexes/"+index+"/search", q)
			if err != nil || status != http.StatusOK {
				t.Fatalf("%v on %s: %d %s %v", q, n.Name, status, b, err)
			}
			if b = clustertest.Mask(b); first == nil {
				first = b
			} else if string(b) != string(first) {
				t.Errorf("%v: %s answers\n%.600s\n%s answered\n%.600s", q, n.Name, b, nodes[0].Name, first)
			}
		}
	}
}

// traffic writes and searches through random nodes, like clients behind a load
// balancer that is told which node is about to be stopped.
type traffic struct {
	t    *testing.T
	ctx  context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu           sync.Mutex
	nodes        []*clustertest.Node
	busy         sync.RWMutex // held for reading by a search
	acknowledged map[int]bool
	searches     int
}

func (f *traffic) start(nodes []*clustertest.Node) {
	f.ctx, f.end = context.WithCancel(f.t.Context())
	f.work.Go(f.writes)
	f.work.Go(f.searchesAll)
}

func (f *traffic) stop() {
	f.end()
	f.work.Wait()
}

// without runs change while no request is under way to a node.
func (f *traffic) without(n *clustertest.Node, change func()) {
	f.mu.Lock()
	kept := f.nodes
	f.nodes = nil
	for _, o := range kept {
		if o != n {
			f.nodes = append(f.nodes, o)
		}
	}
	f.mu.Unlock()
	f.busy.Lock()
	f.busy.Unlock() //nolint:staticcheck // waits for the search under way
	change()
	f.mu.Lock()
	f.nodes = kept
	f.mu.Unlock()
}

func (f *traffic) any() *clustertest.Node {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.nodes[rand.IntN(len(f.nodes))]
}

func (f *traffic) written() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.acknowledged)
}

func (f *traffic) searched() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.searches
}

func (f *traffic) writes() {
	for id := 10_000; f.pause(15 * time.Millisecond); id++ {
		one, done := context.WithTimeout(context.WithoutCancel(f.ctx), 6*time.Second)
		_, err := f.any().Enqueue(one, "POST", "/indexes/docs/documents", documents(id, 1))
		done()
		if err == nil {
			f.mu.Lock()
			f.acknowledged[id] = true
			f.mu.Unlock()
		}
	}
}

func (f *traffic) searchesAll() {
	for i := 0; f.pause(10 * time.Millisecond); i++ {
		f.busy.RLock()
		n := f.any()
		one, done := context.WithTimeout(context.WithoutCancel(f.ctx), 10*time.Second)
		begin := time.Now()
		status, b, err := n.Do(one, "POST", "/indexes/docs/search", map[string]any{"q": fmt.Sprintf("number %d", i%500), "limit": 5})
		done()
		f.busy.RUnlock()
		if err != nil || status != http.StatusOK {
			f.t.Errorf("a search on %s failed after %s: %d %.300s %v", n.Name, time.Since(begin).Round(time.Millisecond), status, b, err)
		}
		f.mu.Lock()
		f.searches++
		f.mu.Unlock()
	}
}

// pause reports false once the traffic is to end.
func (f *traffic) pause(d time.Duration) bool {
	select {
	case <-f.ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
