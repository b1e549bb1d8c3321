package parity

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// grouped is a hit and the others of its group.
type grouped struct {
	ID    int
	Group []grouped `json:"_group"`
}

func (g *grouped) String() string {
	var ids []string
	for _, o := range g.Group {
		ids = append(ids, fmt.Sprint(o.ID))
	}
	return fmt.Sprintf("%d+%s", g.ID, strings.Join(ids, ","))
}

// The filter of a tenant token holds inside of groups, too, by search and multi-search, on every
// node, also while the index gets other shards and other clients write.
func TestATenantTokenFiltersInsideGroupsWhileShardsChange(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(1), "SHOAL_MASTER_KEY="+masterKey)
	for _, n := range c.Nodes {
		n.Key = masterKey
	}
	rig.Start(t, c)
	n := c.Nodes[0]
	do(t, n, "PATCH", "/indexes/films/settings", `{"filterableAttributes":["brand","owner","size"],"sortableAttributes":["size"],"distinctAttribute":"brand"}`)
	var docs []string
	for i := range 60 {
		docs = append(docs, fmt.Sprintf(`{"id":%d,"title":"shirt","brand":"b%d","owner":%q,"size":%d}`, i, i%5, []string{"ann", "bob", "eve"}[i%3], i))
	}
	do(t, n, "POST", "/indexes/films/documents", "["+strings.Join(docs, ",")+"]")
	// Of ann are 0, 3, ... 57; those of a brand are 15 apart.
	const want = "57+42,27,12 54+39,24,9 51+36,21,6 48+33,18,3 45+30,15,0"
	var key struct{ Key, UID string }
	if err := json.Unmarshal(do(t, n, "POST", "/keys", `{"actions":["search"],"indexes":["films"],"expiresAt":null}`), &key); err != nil {
		t.Fatal(err)
	}
	token := tenantToken(key.Key, key.UID, "owner = ann")
	const query = `"q":"shirt","sort":["size:desc"],"hitsPerGroup":9,"attributesToRetrieve":["id"]`
	check := func(when string) {
		t.Helper()
		for _, n := range c.Nodes {
			tenant := &clustertest.Node{Name: n.Name, HTTP: n.HTTP, Key: token}
			var one struct{ Hits []grouped }
			if err := json.Unmarshal([]byte(patiently(t, tenant, "POST", "/indexes/films/search", "{"+query+"}")), &one); err != nil {
				t.Fatal(err)
			}
			var many struct{ Results []struct{ Hits []grouped } }
			if err := json.Unmarshal([]byte(patiently(t, tenant, "POST", "/multi-search", `{"queries":[{"indexUid":"films",`+query+`}]}`)), &many); err != nil {
				t.Fatal(err)
			}
			for _, hits := range [][]grouped{one.Hits, many.Results[0].Hits} {
				var got []string
				for i := range hits {
					got = append(got, hits[i].String())
				}
				if strings.Join(got, " ") != want {
					t.Fatalf("%s: %s finds %s, want %s", when, n.Name, strings.Join(got, " "), want)
				}
			}
		}
	}
	check("at first")
	done := make(chan struct{})
	var writing sync.WaitGroup
	wrote := 0
	writing.Go(func() { // what others own and what ann owns elsewhere comes and goes
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			if err := c.Nodes[1].Write(t.Context(), "POST", "/indexes/films/documents", clustertest.Text(fmt.Sprintf(`[{"id":%d,"title":"shirt","brand":"b%d","owner":"bob","size":%d}]`, 1000+i%50, i%7, i))); err != nil {
				t.Errorf("a write: %v", err)
				return
			}
			wrote++
		}
	})
	whileShardsChange(t, n, check)
	close(done)
	writing.Wait()
	t.Logf("%d writes beside", wrote)
}
