package operation

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// query is a query of a report.
type query struct {
	Q      string
	Count  uint64
	AtMost uint64
}

// report is what a node says of searches.
type report struct {
	Searches, Clicks, Conversions uint64
	Empty                         uint64 `json:"searchesWithoutResults"`
	Nodes, MissingNodes           []string
	ClickPositions                []uint64
	Queries, ClickedQueries       []query
	Nothing                       []query `json:"queriesWithoutResults"`
}

func reported(t *testing.T, n *clustertest.Node) (r report) {
	t.Helper()
	status, b, err := n.Do(t.Context(), "GET", "/cluster/analytics?limit=1000", nil)
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil || status != 200 {
		t.Fatalf("%s: %d %s %v", n.Name, status, b, err)
	}
	return r
}

// answered sends a request that must succeed.
func answered(t *testing.T, n *clustertest.Node, method, path, body string) []byte {
	t.Helper()
	status, b, err := n.Do(t.Context(), method, path, clustertest.Text(body))
	if err != nil || status >= 300 {
		t.Fatalf("%s %s %s: %d %s %v", method, path, body, status, b, err)
	}
	return b
}

// Searches are counted where they are answered and clicks where they arrive; every node adds
// them up to the same report. A node that is stopped keeps what it counted, and while it is
// away the report names it.
func TestAnyNodeReportsWhatAllOfThemCounted(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(2))
	rig.Start(t, c)
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	first := c.Nodes[0]
	if err := first.Write(ctx, "POST", "/indexes/films/documents", clustertest.Text(`[{"id":1,"title":"heat"},{"id":2,"title":"ronin"}]`)); err != nil {
		t.Fatal(err)
	}
	answered(t, first, "POST", "/indexes/films/search", `{"q":"typed before the operator wanted texts"}`)
	answered(t, first, "PATCH", "/cluster/analytics", `{"queries":true}`)
	for _, n := range c.Nodes { // a node that has applied the change counts texts
		for counts := false; !counts; {
			answered(t, n, "POST", "/indexes/films/search", `{"q":"`+n.Name+`"}`)
			counts = slices.ContainsFunc(reported(t, n).Queries, func(q query) bool { return q.Q == n.Name })
			if ctx.Err() != nil {
				t.Fatalf("%s counts no texts", n.Name)
			}
		}
	}
	begun := reported(t, first)
	var found struct {
		Results []struct {
			Metadata struct{ QueryUID string }
		}
	}
	if err := json.Unmarshal(described(t, c.Nodes[1]), &found); err != nil || found.Results[0].Metadata.QueryUID == "" {
		t.Fatal(err)
	}
	for _, n := range c.Nodes {
		answered(t, n, "POST", "/indexes/films/search", `{"q":"Nothing  like this"}`)
	}
	click := fmt.Sprintf(`{"eventType":"click","indexUid":"films","position":1,"queryUid":%q}`, found.Results[0].Metadata.QueryUID)
	answered(t, c.Nodes[2], "POST", "/events", click) // n2 answered, n3 is told
	answered(t, c.Nodes[0], "POST", "/events", `{"eventType":"conversion","indexUid":"films"}`)
	for _, n := range c.Nodes {
		r := reported(t, n)
		if r.Searches != begun.Searches+4 || r.Empty != begun.Empty+3 || r.Clicks != 1 || r.Conversions != 1 || r.ClickPositions[1] != 1 || len(r.Nodes) != 3 || len(r.MissingNodes) != 0 {
			t.Errorf("%s: %+v", n.Name, r)
		}
		if !slices.Contains(r.Nothing, query{"nothing like this", 3, 3}) || !slices.Contains(r.ClickedQueries, query{"ronin", 1, 1}) || !slices.Contains(r.Queries, query{"ronin", 1, 1}) {
			t.Errorf("%s: %+v", n.Name, r)
		}
		if slices.ContainsFunc(r.Queries, func(q query) bool { return strings.HasPrefix(q.Q, "typed before") }) {
			t.Error("a text was counted that nobody wanted to be")
		}
	}
	c.Nodes[1].Stop()
	if r := reported(t, first); !slices.Equal(r.MissingNodes, []string{c.Nodes[1].Name}) || r.Clicks != 0 || r.Searches >= begun.Searches+4 {
		t.Errorf("without %s: %+v", c.Nodes[1].Name, r)
	}
	answered(t, first, "POST", "/events", click) // its node is away: the click counts without its query
	if err := c.Nodes[1].Start(c); err != nil {
		t.Fatal(err)
	}
	if err := c.Nodes[1].Ready(ctx); err != nil {
		t.Fatal(err)
	}
	if r := reported(t, first); r.Clicks != 2 || r.Searches != begun.Searches+4 || !slices.Contains(r.ClickedQueries, query{"ronin", 1, 1}) {
		t.Errorf("with %s again: %+v", c.Nodes[1].Name, r)
	}
}

// A node that hangs holds up reports and events for a bounded time. The report names it, and a
// click on what it answered counts without its query.
func TestANodeThatHangsIsMissingInReports(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(1))
	rig.Start(t, c)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	hangs, other := c.Nodes[1], c.Nodes[2]
	if err := other.Write(ctx, "POST", "/indexes/films/documents", clustertest.Text(`[{"id":1,"title":"ronin"}]`)); err != nil {
		t.Fatal(err)
	}
	answered(t, other, "PATCH", "/cluster/analytics", `{"queries":true}`)
	var found struct {
		Results []struct {
			Metadata struct{ QueryUID string }
		}
	}
	if err := json.Unmarshal(described(t, hangs), &found); err != nil {
		t.Fatal(err)
	}
	if err := hangs.Freeze(); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	for { // a write waits until another node leads, if the leader hangs
		status, b, err := other.Do(ctx, "POST", "/events", clustertest.Text(fmt.Sprintf(`{"eventType":"click","indexUid":"films","queryUid":%q}`, found.Results[0].Metadata.QueryUID)))
		if err != nil {
			t.Fatal(err)
		}
		if status == 201 {
			break
		}
		if status != 503 {
			t.Fatalf("%d %s", status, b)
		}
	}
	told := time.Since(begun)
	r := reported(t, other)
	if !slices.Equal(r.MissingNodes, []string{hangs.Name}) || len(r.Nodes) != 2 || r.Clicks != 1 || len(r.ClickedQueries) != 0 {
		t.Errorf("%+v", r)
	}
	took := time.Since(begun)
	t.Logf("the event took %s, both %s", told.Round(time.Millisecond), took.Round(time.Millisecond))
	if told > 5*time.Second || took > 20*time.Second {
		t.Errorf("the event took %s, event and report %s", told, took)
	}
	if err := hangs.Thaw(); err != nil {
		t.Fatal(err)
	}
	if r := reported(t, other); len(r.MissingNodes) != 0 || r.Searches != 1 {
		t.Errorf("once it goes on: %+v", r)
	}
}

// Searches and events that name an alias count for the index behind it, and a click finds its query
// by either name.
func TestAnAliasCountsForTheIndexBehindIt(t *testing.T) {
	c := rig.New(t, 1, rig.Shards(1))
	rig.Start(t, c)
	n := c.Nodes[0]
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := n.Write(ctx, "POST", "/indexes/v1/documents", clustertest.Text(`[{"id":1,"title":"ronin"}]`)); err != nil {
		t.Fatal(err)
	}
	answered(t, n, "PUT", "/cluster/aliases/films", `{"index":"v1"}`)
	answered(t, n, "PATCH", "/cluster/analytics", `{"queries":true}`)
	var found struct {
		Results []struct {
			Metadata struct{ QueryUID string }
		}
	}
	if err := json.Unmarshal(described(t, n), &found); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"films", "v1"} {
		answered(t, n, "POST", "/events", fmt.Sprintf(`{"eventType":"click","indexUid":%q,"position":%d,"queryUid":%q}`, name, i, found.Results[0].Metadata.QueryUID))
	}
	answered(t, n, "POST", "/events", `{"eventType":"conversion","indexUid":"films"}`)
	for _, path := range []string{"/cluster/analytics", "/cluster/analytics?indexUid=films", "/cluster/analytics?indexUid=v1"} {
		var r struct {
			report
			Indexes []struct{ IndexUID string }
		}
		if err := json.Unmarshal(answered(t, n, "GET", path, ""), &r); err != nil {
			t.Fatal(err)
		}
		if len(r.Indexes) != 1 || r.Indexes[0].IndexUID != "v1" || r.Searches != 1 || r.Clicks != 2 || r.Conversions != 1 || !slices.Contains(r.ClickedQueries, query{"ronin", 2, 2}) {
			t.Errorf("%s: %+v", path, r)
		}
	}
	if status, b, err := n.Do(ctx, "POST", "/events", clustertest.Text(`{"eventType":"click","indexUid":"v2"}`)); err != nil || status != 404 {
		t.Errorf("an event of no index: %d %s %v", status, b, err)
	}
}

// described searches for a film and has the answer described, which gives it a uid.
func described(t *testing.T, n *clustertest.Node) []byte {
	t.Helper()
	const body = `{"queries":[{"indexUid":"films","q":"ronin"}]}`
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+n.HTTP+"/multi-search", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Meili-Include-Metadata", "true")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("%d %s %v", res.StatusCode, b, err)
	}
	return b
}
