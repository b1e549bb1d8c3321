package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// gate is an embedder that answers once it is open: until then the first batch of an
// index that uses it keeps the others waiting.
type gate struct {
	*httptest.Server
	open func()
}

func newGate(t *testing.T) *gate {
	opened := make(chan struct{})
	g := &gate{open: sync.OnceFunc(func() { close(opened) })}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var in []string
		if err := json.NewDecoder(q.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if strings.Contains(strings.Join(in, " "), "hold") {
			select {
			case <-opened:
			case <-q.Context().Done():
				return
			}
		}
		out := make([][]int, len(in))
		for i := range out {
			out[i] = []int{1, 2}
		}
		_ = json.NewEncoder(w).Encode(out) // a client that is gone
	}))
	t.Cleanup(func() { g.open(); g.Close() })
	return g
}

// gated is a cluster of three nodes with an index whose first document keeps its
// batch under way until the gate is opened.
func gated(t *testing.T) (*clustertest.Cluster, *gate) {
	t.Helper()
	c := rig.New(t, 3, rig.Shards(1))
	for _, n := range c.Nodes {
		n.Option("experimental-allowed-ip-networks", "127.0.0.0/8")
		n.Option("dump-dir", filepath.Join(c.Dir, "dumps"))
		n.Option("snapshot-dir", filepath.Join(c.Dir, "snapshots"))
	}
	rig.Start(t, c)
	g := newGate(t)
	n := c.Nodes[0]
	write(t, n, "PATCH", "/indexes/docs/settings", map[string]any{"embedders": map[string]any{"gate": map[string]any{
		"source": "rest", "url": g.URL, "dimensions": 2, "documentTemplate": "{{doc.title}}",
		"request": []string{"{{text}}", "{{..}}"}, "response": []string{"{{embedding}}", "{{..}}"},
	}}})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	held, err := n.Enqueue(ctx, "POST", "/indexes/docs/documents", []byte(`{"id":0,"title":"hold"}`))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, 20*time.Second, "the first batch to start", func(ctx context.Context) bool {
		status, b, err := n.Do(ctx, "GET", fmt.Sprintf("/tasks/%d", held), nil)
		return err == nil && status == http.StatusOK && bytes.Contains(b, []byte(`"processing"`))
	})
	return c, g
}

// enqueue sends documents that do not fit into the log and tells which files hold
// them.
func enqueue(t *testing.T, c *clustertest.Cluster, from int) (task uint32, copies []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	before := map[string]bool{}
	for _, f := range blobs(t, c) {
		before[f] = true
	}
	task, err := c.Nodes[0].Enqueue(ctx, "POST", "/indexes/docs/documents", documents(from, 2000))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range blobs(t, c) {
		if !before[f] {
			copies = append(copies, f)
		}
	}
	if len(copies) != 2 {
		t.Fatalf("staged on %q", copies)
	}
	return task, copies
}

// blobs lists the staged payloads of all nodes.
func blobs(t *testing.T, c *clustertest.Cluster) []string {
	t.Helper()
	var all []string
	for _, n := range c.Nodes {
		found, err := filepath.Glob(filepath.Join(n.Folder(), "blobs", "*.*"))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

// outcome waits for a task and returns its status and the message of its error.
func outcome(t *testing.T, n *clustertest.Node, task uint32) (status, message string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	status, _ = n.Wait(ctx, task) // its error is the task's own
	_, b, err := n.Do(ctx, "GET", fmt.Sprintf("/tasks/%d", task), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Error struct{ Message string } }
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	return status, got.Error.Message
}

// Row 10 of the failure matrix: the copies of a payload are lost before its batch.
func TestRow10PayloadLostOnAllHoldersFailsItsTaskAndTheQueueMoves(t *testing.T) {
	c, g := gated(t)
	n := c.Nodes[0]
	lost, copies := enqueue(t, c, 1000)
	for _, f := range copies {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var behind []uint32
	for _, path := range []string{"/dumps", "/snapshots"} {
		uid, err := n.Enqueue(ctx, "POST", path, nil)
		if err != nil {
			t.Fatal(err)
		}
		behind = append(behind, uid)
	}
	next, _ := enqueue(t, c, 5000)
	g.open()
	opened := time.Now()
	for _, uid := range append(behind, next) {
		if status, message := outcome(t, n, uid); status != "succeeded" {
			t.Errorf("task %d behind the lost payload: %s %s", uid, status, message)
		}
	}
	if status, message := outcome(t, n, lost); status != "failed" || !strings.Contains(message, "is lost") || !strings.Contains(message, "Send it again") {
		t.Errorf("the task whose payload is lost: %s %q", status, message)
	}
	t.Logf("the task whose payload is lost has failed, and a dump, a snapshot and the next batch have ended, %s after their batch could begin", time.Since(opened).Round(time.Millisecond))
	got, err := ids(ctx, n, "docs")
	if err != nil || len(got) != 2001 || !got[5000] || got[1000] {
		t.Errorf("%d documents afterwards, %v", len(got), err)
	}
}

func TestAFlippedByteInOneCopyOfAPayloadFailsNoTask(t *testing.T) {
	c, g := gated(t)
	n := c.Nodes[0]
	// Whoever builds comes across a damaged copy of every second one, whichever nodes
	// hold them: one of twelve is met for certain.
	const payloads = 12
	var tasks []uint32
	for i := range payloads {
		uid, copies := enqueue(t, c, 1000+2000*i)
		tasks = append(tasks, uid)
		f := copies[i%2]
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		b[len(b)/3] ^= 1
		if err := os.WriteFile(f, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	g.open()
	for _, uid := range tasks {
		if status, message := outcome(t, n, uid); status != "succeeded" {
			t.Errorf("task %d: %s %s", uid, status, message)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if got, err := ids(ctx, n, "docs"); err != nil || len(got) != 1+2000*payloads {
		t.Errorf("%d documents afterwards, %v", len(got), err)
	}
	if dropped(t, c) == 0 {
		t.Error("/metrics of no node counts a damaged copy")
	}
}

var droppedCopies = regexp.MustCompile(`(?m)^shoal_payload_copies_dropped_total\{.*\} ([0-9]+)$`)

// dropped sums the damaged copies that the nodes count.
func dropped(t *testing.T, c *clustertest.Cluster) (sum int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if status, b, err := c.Nodes[0].Do(ctx, "PATCH", "/experimental-features", map[string]any{"metrics": true}); err != nil || status != http.StatusOK {
		t.Fatalf("metrics: %d %s %v", status, b, err)
	}
	for _, n := range c.Nodes {
		var found [][]byte
		eventually(t, 10*time.Second, "the metrics of "+n.Name, func(ctx context.Context) bool {
			status, b, err := n.Do(ctx, "GET", "/metrics", nil)
			found = droppedCopies.FindSubmatch(b)
			return err == nil && status == http.StatusOK && found != nil
		})
		k, err := strconv.Atoi(string(found[1]))
		if err != nil {
			t.Fatal(err)
		}
		sum += k
	}
	return sum
}

// While a holder is away its payload is not lost: the task says what it waits for.
func TestAPayloadWhoseHolderIsAwayIsWaitedForInTheOpen(t *testing.T) {
	c, g := gated(t)
	lead := leader(t, c)
	var away *clustertest.Node
	var waits uint32
	for from := 1000; away == nil; from += 5000 {
		uid, copies := enqueue(t, c, from)
		for i, f := range copies {
			holder := holderOf(c, f)
			if holder == lead || holder == c.Nodes[0] || away != nil {
				continue
			}
			// The only copy that is left is on a node that goes away.
			away, waits = holder, uid
			if err := os.Remove(copies[1-i]); err != nil {
				t.Fatal(err)
			}
		}
		if from > 100_000 {
			t.Fatal("no payload is on a node that may be frozen")
		}
	}
	away.Kill()
	g.open()
	n := lead
	var status, batches []byte
	eventually(t, 30*time.Second, "the wait to be told", func(ctx context.Context) bool {
		_, status, _ = n.Do(ctx, "GET", "/cluster/status", nil)
		_, batches, _ = n.Do(ctx, "GET", "/batches?statuses=processing", nil)
		return bytes.Contains(status, []byte(" waits for ")) && bytes.Contains(batches, []byte("waiting: "))
	})
	for what, b := range map[string][]byte{"status": status, "batches": batches} {
		if !bytes.Contains(b, []byte("payload that is on "+away.Name)) {
			t.Errorf("%s does not say what is waited for: %s", what, b)
		}
	}
	told := func() int {
		b, err := os.ReadFile(lead.Folder() + ".log")
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(b, []byte("work waits"))
	}
	// It is logged when the work next tries, a moment after it is shown.
	eventually(t, 30*time.Second, "the wait to be logged", func(context.Context) bool { return told() > 0 })
	if err := away.Start(c); err != nil {
		t.Fatal(err)
	}
	if status, message := outcome(t, c.Nodes[0], waits); status != "succeeded" {
		t.Errorf("after the holder came back: %s %s", status, message)
	}
	if n := told(); n != 1 {
		t.Errorf("logged %d times", n)
	}
}

func holderOf(c *clustertest.Cluster, file string) *clustertest.Node {
	for _, n := range c.Nodes {
		if strings.HasPrefix(file, n.Folder()+string(filepath.Separator)) {
			return n
		}
	}
	return nil
}
