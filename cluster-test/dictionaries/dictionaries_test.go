package dictionaries

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
	"shoal/text/dictionary"
	"shoal/text/dictionary/source"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) }

// japanese writes the file of the Japanese dictionary into a folder.
func japanese(t *testing.T) (folder string) {
	t.Helper()
	d, err := source.Of(dictionary.Japanese)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := dictionary.Write(&b, dictionary.Japanese, d); err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, dictionary.FileName(dictionary.Japanese)), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// add adds a document and waits for it.
func add(t *testing.T, n *clustertest.Node, id int, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	uid, err := n.Enqueue(ctx, "POST", "/indexes/trips/documents", []map[string]any{{"id": id, "text": text}})
	if err != nil {
		t.Fatal(err)
	}
	if status, err := n.Wait(ctx, uid); err != nil || status != "succeeded" {
		t.Fatalf("document %d: %s, %v", id, status, err)
	}
}

// hits is how many documents every node finds.
func hits(t *testing.T, nodes []*clustertest.Node, q string, want int) {
	t.Helper()
	for _, n := range nodes {
		status, body, err := n.Do(t.Context(), "POST", "/indexes/trips/search", map[string]any{"q": q, "locales": []string{"jpn"}})
		var answer struct{ Hits []json.RawMessage }
		if err == nil && status == http.StatusOK {
			err = json.Unmarshal(body, &answer)
		}
		if err != nil || status != http.StatusOK || len(answer.Hits) != want {
			t.Errorf("%s finds %d documents with %s, not %d: %d %s %v", n.Name, len(answer.Hits), q, want, status, body, err)
		}
	}
}

// settle waits until every node answers and its leader knows of n nodes.
func settle(t *testing.T, c *clustertest.Cluster, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		why := ""
		for _, o := range c.Nodes[:n] {
			if err := o.Ready(ctx); err != nil {
				t.Fatal(err)
			}
			if s, err := o.Status(ctx); err != nil || len(s.Nodes) != n {
				why = fmt.Sprintf("%s: %+v, %v", o.Name, s, err)
			}
		}
		if why == "" {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal(why)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func TestADictionaryCountsOnceAllNodesHaveIt(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(2))
	folder := japanese(t)
	for i, n := range c.Nodes {
		n.Option("dictionaries", [...]string{folder, folder, "none"}[i])
	}
	rig.Start(t, c)
	settle(t, c, 3)
	add(t, c.Nodes[0], 1, "関西国際空港から電車で大阪へ")
	hits(t, c.Nodes, "空港", 0)
	hits(t, c.Nodes, "関西", 1) // what a text begins with

	// The third node gets the files: from the next batch on all texts are cut.
	third := c.Nodes[2]
	third.Stop()
	third.Option("dictionaries", folder)
	if err := third.Start(c); err != nil {
		t.Fatal(err)
	}
	settle(t, c, 3)
	for id := 2; ; id++ { // its description follows its start
		add(t, c.Nodes[id%3], id, "東京都の図書館で本を借りました")
		_, body, err := c.Nodes[0].Do(t.Context(), "POST", "/indexes/trips/search", map[string]any{"q": "空港", "locales": []string{"jpn"}})
		if err == nil && bytes.Contains(body, []byte("関西国際空港")) {
			break
		}
		if id > 100 {
			t.Fatalf("the dictionary does not count: %s %v", body, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	hits(t, c.Nodes, "空港", 1)
	hits(t, c.Nodes, "らあめん", 0)
	add(t, third, 200, "美味しいラーメンの作り方")
	hits(t, c.Nodes, "らあめん", 1) // katakana and hiragana are one

	// A node that comes back without them ends and says why; with them it is as before.
	third.Stop()
	third.Option("dictionaries", "none")
	if err := third.Start(c); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	status, log, err := third.Ended(ctx)
	if err != nil || status == 0 || !strings.Contains(log, "--dictionaries") || !strings.Contains(log, `"trips"`) {
		t.Fatalf("a node without the dictionary ended with %d, %v:\n%s", status, err, log)
	}
	third.Option("dictionaries", folder)
	if err := third.Start(c); err != nil {
		t.Fatal(err)
	}
	settle(t, c, 3)
	hits(t, c.Nodes, "空港", 1)

	// A newcomer without them is not let in, and hears why.
	fourth, err := c.Join()
	if err != nil {
		t.Fatal(err)
	}
	fourth.Option("dictionaries", "none")
	if err := fourth.Start(c); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); !strings.Contains(fourth.Tail(1000), "cut by a dictionary"); time.Sleep(50 * time.Millisecond) {
		if time.Since(begun) > 20*time.Second {
			t.Fatalf("it does not say why it waits:\n%s", fourth.Tail(20))
		}
	}
	if s, err := c.Nodes[0].Status(t.Context()); err != nil || len(s.Nodes) != 3 {
		t.Errorf("it was let in: %+v, %v", s, err)
	}
	hits(t, c.Nodes[:3], "空港", 1)
}

func TestAnOptionThatLeadsNowhereIsToldAtOnce(t *testing.T) {
	for name, prepare := range map[string]func(folder string) error{
		"no folder":    os.Remove,
		"an empty one": func(string) error { return nil },
		"another thing": func(f string) error {
			return os.WriteFile(filepath.Join(f, "korean.dictionary"), make([]byte, 100), 0o600)
		},
	} {
		folder := t.TempDir()
		if err := prepare(folder); err != nil {
			t.Fatal(err)
		}
		c := rig.New(t, 1)
		c.Nodes[0].Option("dictionaries", folder)
		if err := c.Nodes[0].Start(c); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		status, log, err := c.Nodes[0].Ended(ctx)
		cancel()
		if err != nil || status == 0 || !strings.Contains(log, "--dictionaries") {
			t.Errorf("%s: ended with %d, %v:\n%s", name, status, err, log)
		}
	}
}
