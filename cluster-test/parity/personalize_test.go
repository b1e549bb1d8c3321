package parity

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	clustertest "shoal/cluster-test"
	"shoal/cluster-test/rig"
)

// reranker is a rerank server of our own: documents that hold the last word of the query
// come first.
type reranker struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []string
	status int
}

func newReranker(t *testing.T) *reranker {
	s := &reranker{status: http.StatusOK}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Query, Model string
			Documents    []string
		}
		raw, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(raw, &body)
		}
		if err != nil || r.Header.Get("Authorization") != "Bearer service key" {
			t.Errorf("the service is sent %s (%v)", raw, err)
		}
		s.mu.Lock()
		s.asked = append(s.asked, body.Query)
		status := s.status
		s.mu.Unlock()
		type result struct {
			Index int `json:"index"`
		}
		var results []result
		word := body.Query[strings.LastIndex(body.Query[:strings.Index(body.Query+"\n", "\n")], " ")+1:]
		word, _, _ = strings.Cut(word, "\n")
		for i := range body.Documents {
			results = append(results, result{i})
		}
		slices.SortStableFunc(results, func(a, b result) int {
			switch has := func(r result) bool { return strings.Contains(body.Documents[r.Index], word) }; {
			case has(a) && !has(b):
				return -1
			case has(b) && !has(a):
				return 1
			}
			return 0
		})
		w.WriteHeader(status)
		if err := json.NewEncoder(w).Encode(map[string]any{"results": results}); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *reranker) answer(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

func TestAnyNodePersonalizesTheHitsOfAPage(t *testing.T) {
	service := newReranker(t)
	c := rig.New(t, 3, rig.Shards(3), "SHOAL_EXPERIMENTAL_ALLOWED_IP_NETWORKS=127.0.0.1",
		"MEILI_EXPERIMENTAL_PERSONALIZATION_API_KEY=service key", "SHOAL_PERSONALIZATION_URL="+service.URL)
	rig.Start(t, c)
	n := c.Nodes[0]
	do(t, n, "PATCH", "/experimental-features", `{"dynamicSearchRules":true}`)
	do(t, n, "POST", "/indexes/films/documents", `[{"id":1,"title":"Heat","genre":"crime"},{"id":2,"title":"Heat wave","genre":"comedy"},{"id":3,"title":"Heat and dust","genre":"comedy"},{"id":4,"title":"The heat","genre":"crime"}]`)
	ids := func(n *clustertest.Node, path, body string) string {
		var answer struct{ Hits []struct{ ID int } }
		a, err := n.Ask(t.Context(), "POST", path, clustertest.Text(body))
		if err != nil || a.Status != http.StatusOK {
			t.Fatalf("%s: %d %s %v", n.Name, a.Status, a.Body, err)
		}
		if err := json.Unmarshal(a.Body, &answer); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for _, h := range answer.Hits {
			out.WriteByte(byte('0' + h.ID))
		}
		return out.String()
	}
	const one, many = "/indexes/films/search", "/multi-search"
	for _, n := range c.Nodes {
		for _, w := range []struct{ path, body, want string }{
			{one, `{"q":"heat"}`, "1234"},
			{one, `{"q":"heat","personalize":{"userContext":"likes comedy"}}`, "2314"},
			{one, `{"q":"heat","limit":2,"personalize":{"userContext":"likes comedy"}}`, "21"},
			{one, `{"q":"heat","personalize":null}`, "1234"},
			{many, `{"federation":{"personalize":{"userContext":"likes comedy"}},"queries":[{"indexUid":"films","q":"heat"}]}`, "2314"},
		} {
			if got := ids(n, w.path, w.body); got != w.want {
				t.Errorf("%s: %s finds %s, want %s", n.Name, w.body, got, w.want)
			}
		}
		if got := string(do(t, n, "POST", many, `{"queries":[{"indexUid":"films","q":"heat","attributesToRetrieve":["id","genre"],"personalize":{"userContext":"likes comedy"}}]}`)); !strings.Contains(got, `"hits":[{"id":2,"genre":"comedy"},{"id":3`) {
			t.Errorf("%s: a multi-search finds %s", n.Name, got)
		}
	}
	if last := service.asked[0]; last != "User Context: likes comedy\nQuery: heat" {
		t.Errorf("the service was told %q", last)
	}
	// A document that a rule pins stays where it is.
	do(t, n, "PATCH", "/dynamic-search-rules/first", `{"actions":[{"selector":{"indexUid":"films","id":"4"},"action":{"type":"pin","position":0}}]}`)
	if got := ids(n, one, `{"q":"heat","personalize":{"userContext":"likes comedy"}}`); got != "4231" {
		t.Errorf("with a pinned document it finds %s", got)
	}
	service.answer(http.StatusUnauthorized)
	a, err := n.Ask(t.Context(), "POST", many, clustertest.Text(`{"queries":[{"indexUid":"films"},{"indexUid":"films","personalize":{"userContext":"x"}}]}`))
	if want := `{"message":"Inside ` + "`.queries[1]`" + `: Personalization service: Unauthorized: invalid API key","code":"remote_invalid_api_key","type":"auth","link":`; err != nil || a.Status != 403 && a.Status != 400 || !strings.HasPrefix(string(a.Body), want) {
		t.Errorf("a wrong key: %d %s %v", a.Status, a.Body, err)
	}
	// The search is over in time, whatever the service does.
	service.answer(http.StatusServiceUnavailable)
	if got := ids(n, one, `{"q":"heat","personalize":{"userContext":"likes comedy"}}`); got != "4123" {
		t.Errorf("with a service that fails it finds %s", got)
	}
}
