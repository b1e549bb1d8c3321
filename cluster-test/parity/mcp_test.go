package parity

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// tenantToken is signed with a key: searches of films find what rule leaves.
func tenantToken(key, uid, rule string) string {
	part := base64.RawURLEncoding.EncodeToString
	head := part([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + part(fmt.Appendf(nil, `{"apiKeyUid":%q,"searchRules":{"films":{"filter":%q}}}`, uid, rule))
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(head))
	return head + "." + part(mac.Sum(nil))
}

// A model that works for one customer must not see what belongs to another, whatever it
// asks for.
func TestATenantTokenFiltersWhatToolsFind(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(3), "SHOAL_MASTER_KEY="+masterKey)
	for _, n := range c.Nodes {
		n.Key = masterKey
	}
	rig.Start(t, c)
	n := c.Nodes[0]
	do(t, n, "PATCH", "/experimental-features", `{"mcpRoute":true}`)
	do(t, n, "POST", "/indexes/films/documents", `[{"id":1,"title":"Heat","owner":"ann","genre":"crime"},{"id":2,"title":"Heat wave","owner":"bob","genre":"comedy"}]`)
	do(t, n, "POST", "/indexes/others/documents", `[{"id":1,"title":"Heat"}]`)
	do(t, n, "PATCH", "/indexes/films/settings", `{"filterableAttributes":["owner","genre"]}`)
	var key struct{ Key, UID string }
	if err := json.Unmarshal(do(t, n, "POST", "/keys", `{"actions":["search"],"indexes":["films"],"expiresAt":null}`), &key); err != nil {
		t.Fatal(err)
	}
	token := tenantToken(key.Key, key.UID, "owner = ann")
	for _, n := range c.Nodes {
		for _, call := range []struct{ tool, arguments, want string }{
			{"search", `{"indexUid":"films","q":"heat","attributesToRetrieve":["id"]}`, `"hits":[{"id":1}]`},
			{"search", `{"indexUid":"films","filter":"owner = bob"}`, `"hits":[]`},
			{"search", `{"indexUid":"films","filter":"owner = bob OR owner = ann","attributesToRetrieve":["id"]}`, `"hits":[{"id":1}]`},
			{"multi-search", `{"queries":[{"indexUid":"films","q":"heat","attributesToRetrieve":["id"]}]}`, `"hits":[{"id":1}]`},
			{"facet-search", `{"indexUid":"films","facetName":"genre"}`, `"facetHits":[{"value":"crime","count":1}]`},
			{"search", `{"indexUid":"others"}`, `"code":"invalid_api_key"`},
			{"multi-search", `{"queries":[{"indexUid":"others"}]}`, `"code":"invalid_api_key"`},
		} {
			node := &clustertest.Node{HTTP: n.HTTP, Key: token}
			a, err := node.Ask(t.Context(), "POST", "/mcp", clustertest.Text(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, call.tool, call.arguments)))
			if err != nil {
				t.Fatal(err)
			}
			var answer struct {
				Result struct{ Content []struct{ Text string } }
			}
			if err := json.Unmarshal(a.Body, &answer); err != nil || len(answer.Result.Content) != 1 {
				t.Fatalf("%s: %s %s: %d %s", n.Name, call.tool, call.arguments, a.Status, a.Body)
			}
			if got := answer.Result.Content[0].Text; !strings.Contains(got, call.want) {
				t.Errorf("%s: %s %s answers %s, want %s", n.Name, call.tool, call.arguments, got, call.want)
			}
		}
	}
}
