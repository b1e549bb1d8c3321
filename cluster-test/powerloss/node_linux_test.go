package powerloss

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// TestANodeKeepsWhatItAcknowledgedWhenThePowerFails cuts the power of a whole node: its
// small files, the log and its state, uploads on their way, and the shards. What was
// answered with 202 is there, and what was succeeded is found.
func TestANodeKeepsWhatItAcknowledgedWhenThePowerFails(t *testing.T) {
	c, err := clustertest.New(rig.Program(), t.TempDir(), 1, rig.Shards(2))
	if err != nil {
		t.Fatal(err)
	}
	n := c.Nodes[0]
	if err := os.MkdirAll(n.Folder(), 0o700); err != nil {
		t.Fatal(err)
	}
	args, env := n.CommandLine(c)
	tracer := trace(t, Command{Path: c.Binary, Args: args, Env: env, Folder: n.Folder()})
	t.Cleanup(func() { _ = tracer.Kill() })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	uploads := live(ctx, t, n, tracer.Recording)
	if err := tracer.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := tracer.Wait(); err != nil {
		t.Fatal(err)
	}
	written, synced := tracer.Recording.Counts()
	t.Logf("%d writes, %d syncs, %d uploads", written, synced, uploads)
	check := func(cut Cut) string {
		return checkCut(t, tracer.Recording, cut, func(dir string, announced []string) string { return checkNode(t, dir, announced) })
	}
	plan(tracer.Recording, *seed, max(10, *cutCount/25), func(cut Cut) bool {
		if wrong := check(cut); wrong != "" {
			t.Errorf("%v: %s\n%s", cut, wrong, tracer.Recording.Story(cut.At, 30))
		}
		return !t.Failed()
	})
	// A planted defect: the same node on a disk that carries out the first half of its syncs only.
	_, last, boundaries := tracer.Recording.Moments()
	honest := len(boundaries) / 4 // each sync has two
	found := check(Cut{At: last, Keep: Nothing, Lies: func(sync int) bool { return sync >= honest }})
	if found == "" {
		t.Error("a disk that lies about syncs is not found")
	}
	t.Logf("a disk that lies about syncs: %s", found)
}

// What a node is told to keep is announced by these words and a number.
const (
	served    = "served"     // it was ready
	accepted  = "accepted "  // 202 for the upload
	succeeded = "succeeded " // its task has ended
)

// documentsOf is an upload; every fifth is too large to ride in the log.
func documentsOf(upload int) []byte {
	words := 20
	if upload%5 == 4 {
		words = 3000
	}
	var b []byte
	for i := range 4 {
		b = fmt.Appendf(b, `{"id":%d,"upload":%d,"text":%q}`+"\n", upload*4+i, upload, strings.Repeat(fmt.Sprintf("word%d ", i), words))
	}
	return b
}

// live uses a node while it is recorded.
func live(ctx context.Context, t *testing.T, n *clustertest.Node, rec *Recording) (uploads int) {
	t.Helper()
	for ctx.Err() == nil {
		if status, _, err := n.Do(ctx, "GET", "/health", nil); err == nil && status == 200 {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
	rec.Announce(served)
	const all = 40
	for i := range all {
		uid, err := n.Enqueue(ctx, "POST", "/indexes/docs/documents", documentsOf(i))
		if err != nil {
			t.Fatal(err)
		}
		rec.Announce(accepted + strconv.Itoa(i))
		if i%3 == 0 {
			continue // the next one comes while it is built
		}
		if _, err := n.Wait(ctx, uid); err != nil {
			t.Fatal(err)
		}
		rec.Announce(succeeded + strconv.Itoa(i))
		if i == all/2 {
			if err := n.Write(ctx, "PATCH", "/indexes/docs/settings", map[string]any{"filterableAttributes": []string{"upload"}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

// checkNode starts a node on what a cut has left. It returns what is wrong, "" if nothing.
func checkNode(t *testing.T, restored string, announced []string) string {
	t.Helper()
	dir := t.TempDir()
	c, err := clustertest.New(rig.Program(), dir, 1, rig.Shards(2))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	n := c.Nodes[0]
	n.Option("db-path", restored)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := c.Start(ctx); err != nil {
		return fmt.Sprintf("the node does not start: %v: %s", err, n.Tail(5))
	}
	kept := map[int]bool{}
	for _, a := range announced {
		if rest, ok := strings.CutPrefix(a, succeeded); ok {
			i, err := strconv.Atoi(rest)
			if err != nil {
				return err.Error()
			}
			if wrong := holds(ctx, n, i); wrong != "" {
				return "right after the start, of a task that had succeeded: " + wrong
			}
		}
		if rest, ok := strings.CutPrefix(a, accepted); ok {
			i, err := strconv.Atoi(rest)
			if err != nil {
				return err.Error()
			}
			kept[i] = true
		}
	}
	// One more write is a barrier: tasks of an index run in their order.
	if err := n.Write(ctx, "POST", "/indexes/docs/documents", []byte(`{"id":100000,"upload":-1}`)); err != nil {
		return fmt.Sprintf("it takes no write: %v: %s", err, n.Tail(5))
	}
	for i := range kept {
		if wrong := holds(ctx, n, i); wrong != "" {
			return "of a task that was accepted: " + wrong
		}
	}
	return ""
}

// holds checks that the documents of an upload are there, whole.
func holds(ctx context.Context, n *clustertest.Node, upload int) string {
	for line := range strings.Lines(string(documentsOf(upload))) {
		var want, got struct {
			ID     int    `json:"id"`
			Upload int    `json:"upload"`
			Text   string `json:"text"`
		}
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			return err.Error()
		}
		status, b, err := n.Do(ctx, "GET", fmt.Sprintf("/indexes/docs/documents/%d", want.ID), nil)
		if err != nil || status != 200 {
			return fmt.Sprintf("document %d: %d %.200s %v", want.ID, status, b, err)
		}
		if err := json.Unmarshal(b, &got); err != nil || got != want {
			return fmt.Sprintf("document %d is %.200s", want.ID, b)
		}
	}
	return ""
}
