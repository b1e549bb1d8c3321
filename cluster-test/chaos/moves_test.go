package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
)

const (
	// movers is how many clients write at once.
	movers = 4
	// backWithin bounds the time from a kill to the next acknowledged write. Two seconds
	// are promised on a machine that has nothing else to do.
	backWithin = 5 * time.Second
)

// moves is a cluster whose nodes are replaced one after the other while clients write.
type moves struct {
	t     *testing.T
	c     *clustertest.Cluster
	begun time.Time

	mu     sync.Mutex
	roster []*clustertest.Node
	next   int
	kept   []int     // documents whose write was acknowledged
	sent   time.Time // when the newest of these was sent
	least  int       // votes that there must be
	votes  string    // last line of the table
	table  []string
	worst  time.Duration // from a kill to the next write
}

// Row 23 of the failure matrix, all of an operator's steps: each of three nodes gives way to
// a new one (added, drained, removed), then one loses its disk, and at every step the leader
// is killed. Nothing acknowledged is lost, votes never fall below three but for the one that
// goes with its disk, and writes go on.
func TestRow23NodesAreReplacedOneAfterTheOtherWithAKillAtEachStep(t *testing.T) {
	c := start(t, 3, 2)
	write(t, c.Nodes[0], "POST", "/indexes", map[string]any{"uid": "docs", "primaryKey": "id"})
	whole(t, c.Nodes[0], 3, 3)
	m := &moves{t: t, c: c, least: 3, begun: time.Now(), roster: slices.Clone(c.Nodes)}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var work sync.WaitGroup
	for worker := range movers {
		work.Go(func() { m.write(ctx, uint64(worker)) })
	}
	work.Go(func() { m.watch(ctx) })
	old := slices.Clone(c.Nodes)
	if length(t, 0) == 0 {
		old = old[:1]
	}
	for _, n := range old {
		m.replace(n)
	}
	m.loseDisk(others(c, leader(t, c))[0])
	end()
	work.Wait()
	t.Logf("votes by time\n%s", strings.Join(m.table, "\n"))
	t.Logf("%d writes acknowledged; after a kill the next one came within %s", len(m.kept), m.worst.Round(time.Millisecond))
	m.check()
}

// write sends one document after the other to any node.
func (m *moves) write(ctx context.Context, worker uint64) {
	r := rand.New(rand.NewPCG(worker, 23))
	for ctx.Err() == nil {
		m.mu.Lock()
		id := m.next
		m.next++
		n := m.roster[r.IntN(len(m.roster))]
		m.mu.Unlock()
		sent := time.Now()
		one, cancel := context.WithTimeout(ctx, time.Second)
		_, err := n.Enqueue(one, "POST", "/indexes/docs/documents", documents(id, 1))
		cancel()
		if err == nil {
			m.mu.Lock()
			m.kept = append(m.kept, id)
			if sent.After(m.sent) {
				m.sent = sent
			}
			m.mu.Unlock()
		}
		pause(ctx, 20*time.Millisecond)
	}
}

// note adds a line to the table.
func (m *moves) note(format string, a ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.table = append(m.table, fmt.Sprintf("%6.1f s  %s", time.Since(m.begun).Seconds(), fmt.Sprintf(format, a...)))
}

// watch notes who votes, whenever that changes, as any node sees it that knows a leader.
func (m *moves) watch(ctx context.Context) {
	for ; ctx.Err() == nil; pause(ctx, 50*time.Millisecond) {
		for _, n := range m.nodes() {
			one, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
			s, err := n.Status(one)
			cancel()
			if err != nil || s.Leader != n.Name {
				continue
			}
			var names []string
			for _, o := range s.Nodes {
				if o.Votes {
					names = append(names, o.Name)
				}
			}
			line := fmt.Sprintf("%d votes: %s; %s leads", len(names), strings.Join(names, " "), s.Leader)
			if line == m.votes {
				continue
			}
			m.votes = line
			m.note("  %s", line)
			if len(names) < m.fewest() {
				m.t.Errorf("only %s", line)
			}
		}
	}
}

func (m *moves) fewest() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.least
}

func (m *moves) nodes() []*clustertest.Node {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.roster)
}

// killed kills a node and waits for a write that was sent after that.
func (m *moves) killed(n *clustertest.Node) {
	m.t.Helper()
	n.Kill()
	at := time.Now()
	m.note("%s is killed", n.Name)
	eventually(m.t, 30*time.Second, "writes after the death of "+n.Name, func(context.Context) bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.sent.After(at)
	})
	back := time.Since(at)
	m.note("writes are back after %.1f s", back.Seconds())
	if m.worst = max(m.worst, back); back > backWithin {
		m.t.Errorf("writes came back %s after the death of %s", back.Round(time.Millisecond), n.Name)
	}
}

// revive starts a node again and waits until the cluster is whole.
func (m *moves) revive(n *clustertest.Node, members int) {
	m.t.Helper()
	restart(m.t, m.c, n)
	whole(m.t, n, members, 3)
}

// replace has a new node take the place of one.
func (m *moves) replace(old *clustertest.Node) {
	t := m.t
	t.Helper()
	added, err := m.c.Join()
	if err != nil {
		t.Fatal(err)
	}
	m.note("%s is added", added.Name)
	if err := added.Start(m.c); err != nil {
		t.Fatal(err)
	}
	hit := leader(t, m.c)
	m.killed(hit)
	m.mu.Lock()
	m.roster = append(m.roster, added)
	m.mu.Unlock()
	m.revive(hit, 4)

	via := others(m.c, old)[0]
	m.note("%s is drained", old.Name)
	must(t, via, "POST", "/cluster/nodes/"+old.Name+"/drain")
	hit = leader(t, m.c)
	m.killed(hit)
	m.revive(hit, 4)
	eventually(t, time.Minute, old.Name+" to be empty", func(ctx context.Context) bool {
		s, err := via.Status(ctx)
		return err == nil && s.Healthy && !s.Holds(old.Name)
	})

	m.note("%s is removed", old.Name)
	m.mu.Lock()
	m.roster = slices.DeleteFunc(m.roster, func(o *clustertest.Node) bool { return o == old })
	m.mu.Unlock()
	m.c.Nodes = others(m.c, old)
	m.remove(via, old)
	whole(t, via, 3, 3)
}

// remove takes a node out, and the leader dies while it does. An operator asks again.
func (m *moves) remove(via, old *clustertest.Node) {
	m.t.Helper()
	hit := leader(m.t, &clustertest.Cluster{Nodes: append(m.nodes(), old)})
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		ctx, cancel := context.WithTimeout(m.t.Context(), 20*time.Second)
		defer cancel()
		_, _, _ = via.Do(ctx, "DELETE", "/cluster/nodes/"+old.Name, nil) // it may have died with the leader
	}()
	m.killed(hit)
	<-asked
	if hit != old {
		restart(m.t, m.c, hit)
	}
	eventually(m.t, time.Minute, old.Name+" to be removed", func(ctx context.Context) bool {
		status, b, err := via.Do(ctx, "DELETE", "/cluster/nodes/"+old.Name, nil)
		return err == nil && (status == http.StatusOK || strings.Contains(string(b), "is not a member"))
	})
	m.note("%s is out", old.Name)
	old.Kill()
}

// loseDisk has a node come back with an empty disk. Its vote is gone with the disk, and
// comes back once the node has caught up.
func (m *moves) loseDisk(n *clustertest.Node) {
	m.t.Helper()
	m.mu.Lock()
	m.least = 2
	m.mu.Unlock()
	m.note("%s loses its disk", n.Name)
	m.killed(n)
	wipe(m.t, n)
	m.revive(n, 3)
	m.note("%s is whole again", n.Name)
}

// check wants every acknowledged document on every node.
func (m *moves) check() {
	m.t.Helper()
	for _, n := range m.c.Nodes {
		eventually(m.t, time.Minute, "the end of all tasks on "+n.Name, func(ctx context.Context) bool {
			status, b, err := n.Do(ctx, "GET", "/tasks?statuses=enqueued,processing&limit=1", nil)
			return err == nil && status == http.StatusOK && strings.Contains(string(b), `"total":0`)
		})
		found, err := ids(m.t.Context(), n, "docs")
		if err != nil {
			m.t.Fatal(err)
		}
		lost := 0
		for _, id := range m.kept {
			if !found[id] {
				lost++
			}
		}
		if lost > 0 {
			m.t.Errorf("%s lacks %d of %d acknowledged documents", n.Name, lost, len(m.kept))
		}
	}
}
