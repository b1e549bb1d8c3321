package parity

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// ids are those of all documents of an index, as JSON.
func ids(t *testing.T, n *clustertest.Node, index string) string {
	t.Helper()
	var page struct{ Results []struct{ ID json.Number } }
	if err := json.Unmarshal([]byte(patiently(t, n, "POST", "/indexes/"+index+"/documents/fetch", `{"fields":["id"],"limit":1000}`)), &page); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, d := range page.Results {
		list = append(list, d.ID.String())
	}
	return strings.Join(list, " ")
}

// expiresOn has documents expire on a cluster. harm is done to the leader before; it may be nil. It
// returns the leader then.
func expiresOn(t *testing.T, nodes int, harm func(*clustertest.Node) error) (led *clustertest.Node) {
	c := rig.New(t, nodes, rig.Shards(nodes))
	rig.Start(t, c)
	n := c.Nodes[0]
	do(t, n, "PATCH", "/indexes/offers/settings", `{"filterableAttributes":["until"],"expiryAttribute":"until"}`)
	do(t, n, "PATCH", "/indexes/kept/settings", `{"filterableAttributes":["until"]}`)
	soon := time.Now().Add(13 * time.Second).Unix()
	docs := fmt.Sprintf(`[{"id":1,"until":1},{"id":2,"until":%d},{"id":3,"until":4000000000},{"id":4},{"id":5,"until":null},{"id":6,"until":"never"},{"id":7,"until":["4000000000",5.5]},{"id":8,"until":"17"},{"id":9,"until":"10 May"},{"id":10,"until":""},{"id":11,"until":0},{"id":12,"until":-5}]`, soon)
	do(t, n, "POST", "/indexes/offers/documents", docs)
	do(t, n, "POST", "/indexes/kept/documents", docs)
	alive := c.Nodes
	if harm != nil { // whoever leads next finds what has expired
		status, err := n.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		alive = nil
		for _, n := range c.Nodes {
			if n.Name == status.Leader {
				if led = n; harm(n) != nil {
					t.Fatalf("%s cannot be harmed", n.Name)
				}
			} else {
				alive = append(alive, n)
			}
		}
	}
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		left := ids(t, alive[0], "offers")
		if !strings.Contains(" "+left+" ", " 2 ") && time.Now().Unix() < soon {
			t.Fatalf("a document is gone before its time: %s", left)
		}
		if left == "3 4 5 6 8 9 10 11 12" {
			break
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("left are %s", left)
		}
	}
	expired(t, alive...)
	if kept := ids(t, alive[0], "kept"); kept != "1 2 3 4 5 6 7 8 9 10 11 12" {
		t.Errorf("an index without the setting has %s", kept)
	}
	return led
}

// expired compares what nodes show once documents have expired, and what their tasks count. A
// node may show the deletion before its task has ended on all of them.
func expired(t *testing.T, nodes ...*clustertest.Node) {
	t.Helper()
	for begun := time.Now(); !strings.Contains(patiently(t, nodes[0], "GET", "/tasks?statuses=enqueued,processing", ""), `"total":0`); time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatal("the deletion does not end")
		}
	}
	for _, n := range nodes {
		if left := ids(t, n, "offers"); left != "3 4 5 6 8 9 10 11 12" {
			t.Errorf("%s: %s", n.Name, left)
		}
	}
	var page struct {
		Results []struct {
			Status, CustomMetadata, IndexUID string
			Details                          struct{ DeletedDocuments int }
		}
	}
	if err := json.Unmarshal([]byte(patiently(t, nodes[0], "GET", "/tasks?types=documentDeletion", "")), &page); err != nil {
		t.Fatal(err)
	}
	deleted := 0
	for _, task := range page.Results {
		if task.Status != "succeeded" || task.CustomMetadata != "expired" || task.IndexUID != "offers" {
			t.Errorf("%+v", task)
		}
		deleted += task.Details.DeletedDocuments
	}
	if deleted != 3 {
		t.Errorf("tasks count %d documents, want 3", deleted)
	}
}

func TestDocumentsExpireOnOneNode(t *testing.T) { expiresOn(t, 1, nil) }

func TestDocumentsExpireAfterTheLeaderIsLost(t *testing.T) {
	expiresOn(t, 3, func(n *clustertest.Node) error { n.Kill(); return nil })
}

// A leader that hangs deletes nothing again when it goes on: its term is over.
func TestDocumentsExpireOnceThoughTheLeaderHangs(t *testing.T) {
	led := expiresOn(t, 3, (*clustertest.Node).Freeze)
	if err := led.Thaw(); err != nil {
		t.Fatal(err)
	}
	patiently(t, led, "GET", "/tasks?limit=1", "") // it hears of the next leader
	expired(t, led)
}
