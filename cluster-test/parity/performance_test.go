package parity

import (
	"encoding/json"
	"slices"
	"testing"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// stepsOf are the names of the measured steps in an answer. Every value must be a duration
// that people can read.
func stepsOf(t *testing.T, details json.RawMessage) []string {
	t.Helper()
	var byName map[string]string
	if err := json.Unmarshal(details, &byName); err != nil {
		t.Fatalf("%s: %v", details, err)
	}
	var names []string
	for name, took := range byName {
		if took == "" {
			t.Errorf("%s took %q", name, took)
		}
		names = append(names, name)
	}
	return names
}

// Since 1.54 the details tell the queries of a federated search apart; since 1.55 they name
// facets. A search that does not ask for details has none, whatever else it asks for.
func TestPerformanceDetailsNameFacetsAndTellQueriesApart(t *testing.T) {
	service := newReranker(t)
	c := rig.New(t, 1, rig.Shards(2), "SHOAL_EXPERIMENTAL_ALLOWED_IP_NETWORKS=127.0.0.1",
		"SHOAL_EXPERIMENTAL_PERSONALIZATION_API_KEY=service key", "SHOAL_PERSONALIZATION_URL="+service.URL)
	rig.Start(t, c)
	n := c.Nodes[0]
	do(t, n, "POST", "/indexes/films/documents", `[{"id":1,"title":"heat","genre":"crime","year":1995},{"id":2,"title":"heath","genre":"drama","year":1996}]`)
	do(t, n, "PATCH", "/indexes/films/settings", `{"filterableAttributes":["genre","year"]}`)
	ask := func(path, body string) (details, results json.RawMessage) {
		t.Helper()
		a, err := n.Ask(t.Context(), "POST", path, clustertest.Text(body))
		if err != nil || a.Status != 200 {
			t.Fatalf("%s %s: %d %s %v", path, body, a.Status, a.Body, err)
		}
		var answer struct {
			Details json.RawMessage `json:"performanceDetails"`
			Results json.RawMessage `json:"results"`
		}
		if err := json.Unmarshal(a.Body, &answer); err != nil {
			t.Fatal(err)
		}
		return answer.Details, answer.Results
	}
	expect := func(details json.RawMessage, want ...string) {
		t.Helper()
		names := stepsOf(t, details)
		for _, w := range want {
			if !slices.Contains(names, w) {
				t.Errorf("no step %q in %s", w, details)
			}
		}
	}
	one, _ := ask("/indexes/films/search", `{"q":"heat","facets":["year"],"showPerformanceDetails":true,"personalize":{"userContext":"likes comedy"}}`)
	expect(one, "wait in queue", "search > plan", "search > rank", "search > format", "search > facet distribution and stats", "search > personalization", "search")
	_, many := ask("/multi-search", `{"queries":[{"indexUid":"films","q":"heat","showPerformanceDetails":true},{"indexUid":"films","q":"heat"}]}`)
	var results []struct {
		Details json.RawMessage `json:"performanceDetails"`
	}
	if err := json.Unmarshal(many, &results); err != nil || len(results) != 2 {
		t.Fatalf("%s: %v", many, err)
	}
	expect(results[0].Details, "search > rank", "search")
	merged, _ := ask("/multi-search", `{"federation":{"showPerformanceDetails":true,"facetsByIndex":{"films":["year"]}},"queries":[{"indexUid":"films","q":"heat"},{"indexUid":"films","q":"heath"}]}`)
	expect(merged, "wait in queue", "search > queries[0] > plan", "search > queries[0] > rank", "search > queries[1] > rank", "search > queries[1]",
		"search > facet distribution and stats", "search > format", "search")
	unasked, _ := ask("/indexes/films/search", `{"q":"heat","personalize":{"userContext":"likes comedy"}}`)
	if unasked != nil || results[1].Details != nil {
		t.Errorf("details that nobody asked for: %s %s", unasked, results[1].Details)
	}
}
