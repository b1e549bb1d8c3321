package chaos

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// searchKey makes a key that may search, and returns its value.
func searchKey(t *testing.T, n *clustertest.Node) string {
	t.Helper()
	status, b, err := n.Do(t.Context(), "POST", "/keys", map[string]any{"actions": []string{"search"}, "indexes": []string{"*"}, "expiresAt": nil})
	var made struct{ Key string }
	if err == nil {
		err = json.Unmarshal(b, &made)
	}
	if err != nil || status != http.StatusCreated || made.Key == "" {
		t.Fatalf("a key: %d %s %v", status, b, err)
	}
	return made.Key
}

// searchWith searches with a key: the status, and whether the answer says that it is old.
func searchWith(ctx context.Context, n *clustertest.Node, key, index string) (status int, old bool, err error) {
	a, err := (&clustertest.Node{HTTP: n.HTTP, Key: key}).Ask(ctx, "POST", "/indexes/"+index+"/search", map[string]any{})
	if err != nil {
		return 0, false, err
	}
	return a.Status, a.Header.Get("Shoal-Stale") != "", nil
}

// TestKeysOnANodeThatIsCutOff: it cannot know a key that was created meanwhile, and must
// not refuse it for good; it cannot know that a key was revoked, and serves searches by it
// until it is in contact again (or --max-staleness is over). Both answers say so.
func TestKeysOnANodeThatIsCutOff(t *testing.T) {
	c := rig.New(t, 3, rig.Shards(1), "SHOAL_DEFAULT_REPLICAS=3", "SHOAL_MASTER_KEY=the key of a cluster that falls apart")
	for _, n := range c.Nodes {
		n.Key = "the key of a cluster that falls apart"
	}
	net := newNetwork(t, c)
	rig.Start(t, c)
	write(t, c.Nodes[0], "POST", "/indexes/docs/documents", documents(0, 10))
	whole(t, c.Nodes[0], 3, 3)
	lonely := others(c, leader(t, c))[0]
	rest := others(c, lonely)
	revoked := searchKey(t, rest[0])
	expect := func(what, key, index string, status int, old bool) {
		t.Helper()
		var last int
		var said bool
		eventually(t, 20*time.Second, what, func(ctx context.Context) bool {
			var err error
			last, said, err = searchWith(ctx, lonely, key, index)
			return err == nil && last == status && said == old
		})
	}
	expect("the first key to be known", revoked, "docs", http.StatusOK, false)
	net.cut(lonely)
	created := searchKey(t, rest[0])
	if status, b, err := rest[0].Do(t.Context(), "DELETE", "/keys/"+revoked, nil); err != nil || status != http.StatusNoContent {
		t.Fatalf("revoking: %d %s %v", status, b, err)
	}
	write(t, rest[0], "POST", "/indexes/later/documents", documents(0, 1))
	expect("a key made meanwhile to be refused for now", created, "docs", http.StatusServiceUnavailable, true)
	expect("a key revoked meanwhile to be served, as old", revoked, "docs", http.StatusOK, true)
	expect("an index made meanwhile to be missed, as old", revoked, "later", http.StatusNotFound, true)
	net.heal(lonely)
	expect("the new key to be known", created, "later", http.StatusOK, false)
	expect("the revoked key to be refused", revoked, "docs", http.StatusForbidden, false)
}
