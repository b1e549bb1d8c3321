package parity

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// The new shards of an index without documents knew no settings until something was
// written: a deletion by filter failed.
func TestAnEmptiedIndexThatGotOtherShardsKnewNoSettings(t *testing.T) {
	c := rig.New(t, 1)
	rig.Start(t, c)
	n := c.Nodes[0]
	do(t, n, "PATCH", "/indexes/films/settings", `{"filterableAttributes":["year"],"embedders":{"e":{"source":"userProvided","dimensions":2}}}`)
	do(t, n, "POST", "/indexes/films/documents", `[{"id":1,"year":1995,"_vectors":{"e":[0,1]}}]`)
	do(t, n, "DELETE", "/indexes/films/documents", "")
	want := emptied(t, n)
	if !strings.Contains(want[0], "succeeded") {
		t.Fatal(want)
	}
	for _, shards := range []int{3, 1} {
		do(t, n, "PATCH", "/cluster/indexes/films", fmt.Sprintf(`{"shards":%d}`, shards))
		untilShards(t, n, shards)
		if got := emptied(t, n); !slices.Equal(got, want) {
			t.Errorf("with other shards:\n%s\nbefore:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// emptied writes to an index without documents, empties it again, and returns what the
// tasks say.
func emptied(t *testing.T, n *clustertest.Node) (tasks []string) {
	t.Helper()
	for _, write := range [][3]string{
		{"POST", "/indexes/films/documents/delete", `{"filter":"year = 1995"}`},
		{"POST", "/indexes/films/documents", `[{"id":1,"year":1995}]`},
		{"DELETE", "/indexes/films/documents", ""},
	} {
		a, err := n.Ask(t.Context(), write[0], write[1], clustertest.Text(write[2]))
		uid, made := taskOf(a.Body)
		if err != nil || !made {
			t.Fatalf("%s: %s %v", write, a.Body, err)
		}
		status, ended := n.Wait(t.Context(), uid)
		if status == "" {
			t.Fatal(ended)
		}
		tasks = append(tasks, strings.ReplaceAll(fmt.Sprintf("%s %s %s %v", write[0], write[1], status, ended), fmt.Sprint("task ", uid), "task"))
	}
	return tasks
}

// untilShards waits until the one index has so many shards, and no others are wanted.
func untilShards(t *testing.T, n *clustertest.Node, shards int) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		var status struct {
			Indexes []struct {
				Shards       []json.RawMessage
				ShardsWanted int
			}
		}
		if err := json.Unmarshal(do(t, n, "GET", "/cluster/status", ""), &status); err != nil {
			t.Fatal(err)
		}
		if x := status.Indexes[0]; len(x.Shards) == shards && x.ShardsWanted == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("never %d shards", shards)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
