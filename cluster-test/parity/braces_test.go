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

// A tenant's filter in braces holds for one object of an array on every node, also while the
// index gets other shards and after the documents have been read again by other settings.
func TestATenantTokenFiltersByOneObjectWhileShardsChange(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(1), "SHOAL_MASTER_KEY="+masterKey)
	for _, n := range c.Nodes {
		n.Key = masterKey
	}
	rig.Start(t, c)
	n := c.Nodes[0]
	do(t, n, "PATCH", "/indexes/films/settings", `{"filterableAttributes":[{"attributePatterns":["roles","roles.*"],"features":{"facetSearch":true,"filter":{"equality":true,"comparison":true},"sameObject":true}}]}`)
	var docs, want []string
	for i := range 60 {
		// Each has both actors; one in three has ann in the leading role.
		docs = append(docs, fmt.Sprintf(`{"id":%d,"roles":[{"actor":"ann","rank":%d},{"actor":"bob","rank":%d}]}`, i, i%3+1, (i+1)%3+1))
		if i%3 == 0 {
			want = append(want, fmt.Sprint(i))
		}
	}
	do(t, n, "POST", "/indexes/films/documents", "["+strings.Join(docs, ",")+"]")
	var key struct{ Key, UID string }
	if err := json.Unmarshal(do(t, n, "POST", "/keys", `{"actions":["search"],"indexes":["films"],"expiresAt":null}`), &key); err != nil {
		t.Fatal(err)
	}
	token := tenantToken(key.Key, key.UID, "roles.{actor = ann AND rank = 1}")
	check := func(when string) {
		t.Helper()
		for _, n := range c.Nodes {
			tenant := &clustertest.Node{Name: n.Name, HTTP: n.HTTP, Key: token}
			for _, q := range []string{`{"limit":100,"attributesToRetrieve":["id"]}`, `{"limit":100,"attributesToRetrieve":["id"],"filter":"roles.{actor = bob}"}`} {
				var found struct{ Hits []struct{ ID json.Number } }
				if err := json.Unmarshal([]byte(patiently(t, tenant, "POST", "/indexes/films/search", q)), &found); err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, h := range found.Hits {
					got = append(got, h.ID.String())
				}
				if strings.Join(got, " ") != strings.Join(want, " ") {
					t.Fatalf("%s, %s: %s finds %v, want %v", when, n.Name, q, got, want)
				}
			}
		}
	}
	check("at first")
	whileShardsChange(t, n, check)
	do(t, n, "PATCH", "/indexes/films/settings", `{"searchableAttributes":["id"]}`)
	check("after a change of settings")
}

// whileShardsChange gives the only index, films, three shards and then two, and calls check on the
// way and after each change.
func whileShardsChange(t *testing.T, n *clustertest.Node, check func(when string)) {
	t.Helper()
	for _, shards := range []int{3, 2} {
		do(t, n, "PATCH", "/cluster/indexes/films", fmt.Sprintf(`{"shards":%d}`, shards))
		for begun := time.Now(); ; {
			check(fmt.Sprintf("on the way to %d shards", shards))
			status, err := n.Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(status.Indexes) == 1 && len(status.Indexes[0].Shards) == shards {
				break
			}
			if time.Since(begun) > time.Minute {
				t.Fatalf("no %d shards after a minute", shards)
			}
		}
		check(fmt.Sprintf("with %d shards", shards))
	}
}
