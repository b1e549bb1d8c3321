package operation

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// Five nodes in three zones, two copies of everything.
func TestAZoneThatDiesDuringAnImportTakesNothing(t *testing.T) {
	zoneDies(t, []string{"a     2      2      2      0", "b     2      2      2      0", "c     1      1      1      0"}, "SHOAL_DEFAULT_REPLICAS=2")
}

// Five nodes in three zones. Small indexes have a copy on every node, so a dead zone takes
// copies of all of them.
func TestAZoneThatDiesDuringAnImportTakesNothingOfIndexesWithCopiesBySize(t *testing.T) {
	zoneDies(t, []string{"a     2      2      2      0", "b     2      2      2      0", "c     1      1      1      0", "on every node"})
}

// zoneDies kills both nodes of a zone while clients write and search. Before that the table
// of zones has the lines.
func zoneDies(t *testing.T, lines []string, env ...string) {
	t.Helper()
	c := rig.New(t, 5, append(env, rig.Shards(1))...)
	for i, n := range c.Nodes {
		n.Option("zone", []string{"a", "a", "b", "b", "c"}[i])
		if err := n.Watch(); err != nil {
			t.Fatal(err)
		}
	}
	rig.Start(t, c)
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	dying, living := c.Nodes[:2], c.Nodes[2:]
	settled(t, ctx, c, func(*clustertest.Status) bool {
		return strings.Contains(asked(ctx, living[2], "/cluster/status"), `"zones":[`)
	})
	w := &written{node: living[2], acknowledged: map[uint32]string{}}
	for range indexesOfZones {
		w.write(t, ctx)
	}
	settled(t, ctx, c, func(s *clustertest.Status) bool {
		return len(s.Indexes) == indexesOfZones && strings.Contains(asked(ctx, living[2], "/cluster/state"), `"says":"serving"`)
	})
	table, err := commanded(ctx, c, living[2], "status")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range lines {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}

	work, stop := context.WithCancel(ctx)
	var clients sync.WaitGroup
	var searched atomic.Int64
	clients.Go(func() {
		for work.Err() == nil {
			w.write(t, ctx)
		}
	})
	for _, n := range living {
		clients.Go(func() {
			for i := 0; work.Err() == nil; i++ {
				status, b, err := n.Do(ctx, "POST", "/indexes/"+ofZones(i)+"/search", map[string]any{"q": "text"})
				if err != nil || status != http.StatusOK {
					t.Errorf("a search on %s: %d %s %v", n.Name, status, b, err)
					return
				}
				searched.Add(1)
			}
		})
	}
	before := w.count()
	for w.count() < before+5 && ctx.Err() == nil {
		pause(ctx)
	}
	for _, n := range dying {
		n.Kill()
	}
	everyPlace(t, ctx, c, living[2], "a zone", "n1 and n2 do not answer", "n1 and n2 do not answer")
	before = w.count()
	for w.count() < before+30 && ctx.Err() == nil {
		pause(ctx)
	}
	stop()
	clients.Wait()
	w.audit(t, ctx)
	t.Logf("%d writes were acknowledged, %d searches answered", w.count(), searched.Load())
}

const indexesOfZones = 6

func ofZones(i int) string { return fmt.Sprintf("x%d", i%indexesOfZones) }

// written is what one client had acknowledged. Safe for concurrent use.
type written struct {
	node         *clustertest.Node
	mu           sync.Mutex
	sent         int
	acknowledged map[uint32]string // the index and id of a document by task
}

func (w *written) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.acknowledged)
}

// write sends one document, which is too large to ride in the log, to the next index. A
// refusal for want of a leader is no acknowledgement.
func (w *written) write(t *testing.T, ctx context.Context) {
	t.Helper()
	w.mu.Lock()
	n := w.sent
	w.sent++
	w.mu.Unlock()
	uid := ofZones(n)
	doc := map[string]any{"id": n, "body": strings.Repeat("text ", 5000)}
	status, b, err := w.node.Do(ctx, "POST", "/indexes/"+uid+"/documents", []any{doc})
	switch {
	case err == nil && status == http.StatusServiceUnavailable:
		pause(ctx)
		return
	case err != nil || status != http.StatusAccepted:
		t.Errorf("write: %d %s %v", status, b, err)
		return
	}
	var task struct {
		TaskUID uint32 `json:"taskUid"`
	}
	if err := json.Unmarshal(b, &task); err != nil {
		t.Error(err)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acknowledged[task.TaskUID] = fmt.Sprintf("/indexes/%s/documents/%d", uid, n)
}

// audit waits for every acknowledged task and reads its document.
func (w *written) audit(t *testing.T, ctx context.Context) {
	t.Helper()
	for uid, path := range w.acknowledged {
		if _, err := w.node.Wait(ctx, uid); err != nil {
			t.Errorf("task %d was acknowledged: %v", uid, err)
			continue
		}
		if status, b, err := w.node.Do(ctx, "GET", path, nil); err != nil || status != http.StatusOK {
			t.Errorf("task %d was acknowledged, %s: %d %.200s %v", uid, path, status, b, err)
		}
	}
}
