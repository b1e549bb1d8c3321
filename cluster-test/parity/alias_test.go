package parity

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// A key and a tenant token need the name of the alias, not that of the index behind it: who
// turns the alias decides what they reach. A client with such a key finds its own tasks, which
// name the index.
func TestAKeyReachesAnIndexThroughItsAlias(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(3), "SHOAL_MASTER_KEY="+masterKey)
	for _, n := range c.Nodes {
		n.Key = masterKey
	}
	rig.Start(t, c)
	n := c.Nodes[0]
	for i, title := range []string{"Heat", "Heat wave"} {
		index := fmt.Sprintf("v%d", i+1)
		do(t, n, "POST", "/indexes/"+index+"/documents", fmt.Sprintf(`[{"id":1,"title":%q,"owner":"ann"},{"id":2,"title":%q,"owner":"bob"}]`, title, title))
		do(t, n, "PATCH", "/indexes/"+index+"/settings", `{"filterableAttributes":["owner"]}`)
	}
	do(t, n, "PUT", "/cluster/aliases/films", `{"index":"v1"}`)
	var key struct{ Key, UID string }
	if err := json.Unmarshal(do(t, n, "POST", "/keys", `{"actions":["search","documents.add","tasks.get","indexes.get"],"indexes":["films"],"expiresAt":null}`), &key); err != nil {
		t.Fatal(err)
	}
	ask := func(n *clustertest.Node, key, method, path, body string) (int, string) {
		t.Helper()
		status, answer, err := (&clustertest.Node{HTTP: n.HTTP, Key: key}).Do(t.Context(), method, path, clustertest.Text(body))
		if err != nil {
			t.Fatal(err)
		}
		return status, string(answer)
	}
	token := tenantToken(key.Key, key.UID, "owner = ann")
	const query = `{"attributesToRetrieve":["title"]}`
	for i, want := range []string{`"hits":[{"title":"Heat"}]`, `"hits":[{"title":"Heat wave"}]`} {
		index := fmt.Sprintf("v%d", i+1)
		do(t, n, "PUT", "/cluster/aliases/films", fmt.Sprintf(`{"index":%q}`, index))
		for _, n := range c.Nodes {
			for _, call := range [][2]string{{"/indexes/films/search", query}, {"/multi-search", `{"queries":[{"indexUid":"films","attributesToRetrieve":["title"]}]}`}, {"/multi-search", `{"federation":{},"queries":[{"indexUid":"films","attributesToRetrieve":["title"]}]}`}} {
				if status, answer := ask(n, token, "POST", call[0], call[1]); status != 200 || !strings.Contains(answer, strings.TrimSuffix(want, "}]")) || strings.Count(answer, `"title"`) != 1 {
					t.Errorf("%s: a token finds by the alias of %s: %d %s, want %s", call[0], index, status, answer, want)
				}
				refused := strings.ReplaceAll(call[1], `"films"`, `"`+index+`"`)
				path := strings.ReplaceAll(call[0], "films", index)
				for _, who := range []string{token, key.Key} {
					if status, answer := ask(n, who, "POST", path, refused); status != 403 {
						t.Errorf("%s: the index behind the alias by its own name: %d %s", path, status, answer)
					}
				}
			}
		}
		// The client adds a document and waits for its task.
		status, answer := ask(c.Nodes[1], key.Key, "POST", "/indexes/films/documents", `[{"id":3,"owner":"ann","title":"`+index+`"}]`)
		uid, made := taskOf([]byte(answer))
		if !made || status != 202 || !strings.Contains(answer, `"indexUid":"`+index+`"`) {
			t.Fatalf("%d %s", status, answer)
		}
		if _, err := (&clustertest.Node{HTTP: c.Nodes[2].HTTP, Key: key.Key}).Wait(t.Context(), uid); err != nil {
			t.Errorf("a key waits for a task that it made by an alias: %v", err)
		}
		if status, answer := ask(n, key.Key, "GET", "/tasks?statuses=succeeded", ""); status != 200 || !strings.Contains(answer, fmt.Sprintf(`"uid":%d,`, uid)) {
			t.Errorf("tasks of a key: %d %s", status, answer)
		}
		do(t, n, "POST", "/indexes/"+index+"/documents/delete-batch", `[3]`)
	}
	// What the key could not do before, it cannot do now; lists show no aliases.
	for _, call := range [][2]string{{"PUT", "/cluster/aliases/films"}, {"DELETE", "/cluster/aliases/films"}, {"GET", "/cluster/aliases"}} {
		if status, answer := ask(n, key.Key, call[0], call[1], `{"index":"v1"}`); status != 403 {
			t.Errorf("%s %s: %d %s", call[0], call[1], status, answer)
		}
	}
	if _, answer := ask(n, masterKey, "GET", "/indexes", ""); strings.Contains(answer, "films") || !strings.Contains(answer, `"total":2`) {
		t.Errorf("the list of indexes: %s", answer)
	}
	if _, answer := ask(n, masterKey, "GET", "/cluster/status", ""); !strings.Contains(answer, `"aliases":["films"]`) {
		t.Errorf("the status does not show the alias: %s", answer)
	}
}

// patiently repeats a request while another leader is elected, and while the node says that its
// answer may be old.
func patiently(t *testing.T, n *clustertest.Node, method, path, body string) string {
	t.Helper()
	var sent any
	if body != "" {
		sent = clustertest.Text(body)
	}
	for try := 0; ; try++ {
		a, err := n.Ask(t.Context(), method, path, sent)
		switch {
		case err != nil:
			t.Fatal(err)
		case a.Status == 200 && a.Header.Get("Shoal-Stale") == "":
			return string(a.Body)
		case a.Status != 200 && a.Status != 503 || try == 10_000:
			t.Fatalf("%s: %s %s %s: %d %s", n.Name, method, path, body, a.Status, a.Body)
		}
		if a.Status == 200 { // the node has not heard from the new leader yet
			time.Sleep(time.Millisecond)
		}
	}
}

// While an alias is turned to and fro, and a node dies, every search by it sees one of the two
// indexes as a whole, and once a turn is answered every node sees the new one, unless it says that
// its answer may be old.
func TestATurnShowsNoSearchHalfOfEach(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(3))
	rig.Start(t, c)
	n := c.Nodes[0]
	for _, index := range []string{"v1", "v2"} {
		var docs []string
		for i := range 60 {
			docs = append(docs, fmt.Sprintf(`{"id":%d,"of":%q}`, i, index))
		}
		do(t, n, "POST", "/indexes/"+index+"/documents", "["+strings.Join(docs, ",")+"]")
	}
	do(t, n, "PUT", "/cluster/aliases/films", `{"index":"v1"}`)
	ctx, stop := context.WithCancel(t.Context())
	var searching sync.WaitGroup
	var answered atomic.Int64
	for _, n := range c.Nodes {
		searching.Go(func() {
			for ctx.Err() == nil {
				status, answer, err := n.Do(ctx, "POST", "/multi-search", json.RawMessage(`{"queries":[{"indexUid":"films","limit":60},{"indexUid":"films","limit":60}]}`))
				if ctx.Err() != nil || err != nil || status == 503 { // the node that dies
					continue
				}
				one, two := strings.Count(string(answer), `"of":"v1"`), strings.Count(string(answer), `"of":"v2"`)
				if status != 200 || one != 120 && two != 120 {
					t.Errorf("a search saw %d documents of one index and %d of the other: %d", one, two, status)
					return
				}
				answered.Add(1)
			}
		})
	}
	alive := c.Nodes
	for i := range 40 {
		index := fmt.Sprintf("v%d", 2-i%2)
		if i == 20 {
			alive[2].Kill()
			alive = alive[:2]
		}
		patiently(t, alive[i%len(alive)], "PUT", "/cluster/aliases/films", `{"index":"`+index+`"}`)
		for _, n := range alive {
			if answer := patiently(t, n, "POST", "/indexes/films/search", `{"limit":1}`); !strings.Contains(answer, `"of":"`+index+`"`) {
				t.Errorf("turn %d: %s shows %s, want %s", i, n.Name, answer, index)
			}
		}
	}
	stop()
	searching.Wait()
	t.Logf("%d multi-searches beside 40 turns", answered.Load())
}
