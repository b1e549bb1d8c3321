package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
	"shoal/wire"
)

// The older program of TestRow15WhatIsNewWaitsForTheLastOldProgram, and its wire.Version.
var (
	gateCommit  = flag.String("older", older, "commit of the program that knows less")
	gateVersion = flag.Int("older-version", 8, "the wire.Version of that program")
)

// versioned are requests that programs before a version do not understand, and what the index or the
// cluster shows once they have been carried out.
var versioned = []struct {
	since              int
	method, path, body string
	shownBy, shows     string
}{
	{wire.RandomSince, "POST", "/indexes/docs/search", `{"sort":["_random(7)"]}`, "", ""},
	{wire.SameObjectSince, "PATCH", "/indexes/docs/settings", `{"filterableAttributes":[{"attributePatterns":["list","list.*"],"features":{"facetSearch":true,"filter":{"equality":true,"comparison":true},"sameObject":true}},"until"]}`, "/indexes/docs/settings", `"sameObject":true`},
	{wire.AliasesSince, "PUT", "/cluster/aliases/other", `{"index":"docs"}`, "/cluster/aliases", `{"results":[{"name":"other","index":"docs"}]}`},
	{wire.ExpirySince, "PATCH", "/indexes/docs/settings", `{"expiryAttribute":"until"}`, "/indexes/docs/settings", `"expiryAttribute":"until"`},
	{wire.InfixSince, "PATCH", "/indexes/docs/settings", `{"typoTolerance":{"infixOnAttributes":["title"]}}`, "/indexes/docs/settings", `"infixOnAttributes":["title"]`},
}

// holding reads what a node shows of settings, aliases, documents and tasks.
func holding(t *testing.T, n *clustertest.Node) string {
	t.Helper()
	var all strings.Builder
	for _, path := range []string{"/indexes/docs/settings", "/cluster/aliases", "/indexes/docs/documents?limit=1000", "/tasks?limit=1000"} {
		a, err := n.Ask(t.Context(), "GET", path, nil)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&all, path, a.Status, string(clustertest.Mask(a.Body)))
	}
	return all.String()
}

// Until the last node has been upgraded, what the older program does not know is refused on every
// node, in words that say what to do, and leaves nothing behind. Then it works without a restart.
func TestRow15WhatIsNewWaitsForTheLastOldProgram(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(2))
	newer := c.Binary
	old, err := clustertest.BuildAt(t.Context(), t.TempDir(), *gateCommit)
	if errors.Is(err, clustertest.ErrNoHistory) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.Binary = old
	rig.Start(t, c)
	write(t, c.Nodes[0], "PATCH", "/indexes/docs/settings", json.RawMessage(`{"filterableAttributes":["until"]}`))
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", json.RawMessage(`[{"id":1,"title":"thunderstorm","until":1,"list":[{"a":1,"b":2},{"a":3,"b":4}]},{"id":2,"title":"calm","until":4000000000}]`))
	c.Binary = newer
	for i, n := range c.Nodes {
		if i > 0 { // one new program, or two, beside old ones
			for k, n := range c.Nodes {
				before := holding(t, n)
				for _, g := range versioned {
					if g.since <= *gateVersion {
						continue
					}
					a, err := n.Ask(t.Context(), g.method, g.path, json.RawMessage(g.body))
					if err != nil {
						t.Fatal(err)
					}
					if a.Status < 400 || a.Status >= 500 || k < i && !strings.Contains(string(a.Body), "once all nodes of the cluster have been upgraded") {
						t.Errorf("%d of 3 upgraded, %s: %s %s %s is answered with %d %s", i, n.Name, g.method, g.path, g.body, a.Status, a.Body)
					}
				}
				if after := holding(t, n); after != before {
					t.Errorf("%d of 3 upgraded, %s: refused requests left something behind:\n%s\nbefore:\n%s", i, n.Name, after, before)
				}
			}
		}
		n.Stop()
		restart(t, c, n)
		settled(t, c, 3, n.Name+" runs the new program")
	}
	for _, g := range versioned {
		eventually(t, 30*time.Second, "a node to accept "+g.body, func(ctx context.Context) bool {
			a, err := c.Nodes[0].Ask(ctx, g.method, g.path, json.RawMessage(g.body))
			if err != nil || a.Status >= 500 || a.Status >= 400 && !strings.Contains(string(a.Body), "once all nodes") {
				t.Fatalf("%s %s: %+v %v", g.path, g.body, a, err)
			}
			return a.Status < 300
		})
		if g.shownBy == "" {
			continue
		}
		for _, n := range c.Nodes {
			eventually(t, 30*time.Second, n.Name+" to show "+g.shows, func(ctx context.Context) bool {
				a, err := n.Ask(ctx, "GET", g.shownBy, nil)
				return err == nil && a.Status == http.StatusOK && strings.Contains(string(a.Body), g.shows)
			})
		}
	}
	for _, n := range c.Nodes {
		for _, q := range [][2]string{{"/indexes/other/search", `{"filter":"list.{a = 3 AND b = 4}"}`}, {"/indexes/docs/search", `{"q":"underst"}`}} {
			// Document 1 expires soon; until then both find it.
			a, err := n.Ask(t.Context(), "POST", q[0], json.RawMessage(q[1]))
			if err != nil || a.Status != http.StatusOK {
				t.Errorf("%s: %s %s: %+v %v", n.Name, q[0], q[1], a, err)
			}
		}
		eventually(t, 30*time.Second, "document 1 to expire on "+n.Name, func(ctx context.Context) bool {
			found, err := ids(ctx, n, "docs")
			return err == nil && len(found) == 1 && found[2]
		})
	}
}
