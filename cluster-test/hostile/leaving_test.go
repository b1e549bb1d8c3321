package hostile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

const (
	// atWork is how much CPU time shows that a node works on a search.
	atWork = 300 * time.Millisecond
	// afterwards is how much more it may use once the client has left.
	afterwards = time.Second
	// quiet is how long a node must do next to nothing to count as idle.
	quiet = 500 * time.Millisecond
)

// TestASearchEndsOnOtherNodesWhenItsClientLeaves: the filter of one request can take a
// core for minutes. The node that was asked has no data, so all of the work is done by
// the other one.
func TestASearchEndsOnOtherNodesWhenItsClientLeaves(t *testing.T) {
	c := rig.New(t, 2, "SHOAL_MASTER_KEY="+masterKey)
	c.Nodes[1].Args("--no-data")
	rig.Start(t, c)
	data, front := c.Nodes[0], c.Nodes[1]
	front.Key = masterKey
	v := &target{Node: front, t: t}
	if _, _, err := front.Do(t.Context(), "PATCH", "/experimental-features", map[string]any{"containsFilter": true}); err != nil {
		t.Fatal(err)
	}
	v.write("PATCH", "/indexes/things/settings", map[string]any{"filterableAttributes": []string{"text"}})
	var docs bytes.Buffer
	for i := range 20_000 {
		fmt.Fprintf(&docs, `{"id":%d,"text":"the keeper number %d lights lamp %d before the tide"}`+"\n", i, i, i%301)
	}
	v.write("POST", "/indexes/things/documents", docs.Bytes())
	var filter strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&filter, "text CONTAINS 'no such lamp %d' OR ", i)
	}
	filter.WriteString("text = tide")

	ctx, leave := context.WithCancel(t.Context())
	answered := make(chan error, 1)
	begun := used(t, data)
	go func() {
		status, body, err := front.Do(ctx, "POST", "/indexes/things/search", map[string]any{"filter": filter.String()})
		if err == nil {
			err = fmt.Errorf("answered before the client left: %d %.200s", status, body)
		}
		answered <- err
	}()
	for end := time.Now().Add(30 * time.Second); used(t, data)-begun < atWork; {
		select {
		case err := <-answered:
			t.Fatal(err)
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(end) {
			t.Fatal("no node works on the search")
		}
	}
	left := used(t, data)
	leave()
	if err := <-answered; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	last, since := left, time.Now()
	for end := time.Now().Add(30 * time.Second); time.Since(since) < quiet; time.Sleep(50 * time.Millisecond) {
		now := used(t, data)
		if now-last > quiet/10 {
			last, since = now, time.Now()
		}
		if now-left > afterwards || time.Now().After(end) {
			t.Fatalf("the other node has worked for %v more since the client left", now-left)
		}
	}
	t.Logf("%v of CPU after the client left", last-left)
}

func used(t *testing.T, n *clustertest.Node) time.Duration {
	t.Helper()
	d, err := n.CPU()
	if err != nil {
		t.Fatal(err)
	}
	return d
}
