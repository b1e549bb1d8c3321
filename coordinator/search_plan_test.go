package coordinator

import (
	"context"
	"errors"
	"strings"
	"testing"

	"shoal/api"
	"shoal/query"
)

// The feature of media is asked for after the index, the kind of the search, its
// embedder and the syntax of its sort.
func TestMediaWithoutItsFeatureHidOtherErrors(t *testing.T) {
	r := newRig(t)
	r.run()
	r.wait(r.must(r.writer.CreateIndex(context.Background(), "films", nil)))
	s := NewSearch(SearchConfig{Catalog: r.log.Catalog, Shards: r.shards, Features: func() api.Features { return api.Features{} }})
	media := func(change func(*api.SearchRequest)) *api.SearchRequest {
		q := api.NewSearchRequest()
		q.Media = []byte("{}")
		change(q)
		return q
	}
	keyword := func(q *api.SearchRequest) { q.Hybrid = &api.Hybrid{Embedder: "none"} }
	for _, c := range []struct {
		name, uid string
		request   *api.SearchRequest
		code      api.Code
	}{
		{"index", "none", media(keyword), api.CodeIndexNotFound},
		{"hybrid", "films", media(func(*api.SearchRequest) {}), api.CodeMissingSearchHybrid},
		{"vector", "films", media(func(q *api.SearchRequest) { q.Vector = []float32{1} }), api.CodeInvalidSearchMediaAndVector},
		{"embedder", "films", media(func(q *api.SearchRequest) { q.Hybrid = &api.Hybrid{Embedder: "none", SemanticRatio: 1} }), api.CodeInvalidSearchEmbedder},
		{"sort", "films", media(func(q *api.SearchRequest) { keyword(q); q.Sort = []string{"x"} }), api.CodeInvalidSearchSort},
		{"feature", "films", media(func(q *api.SearchRequest) { keyword(q); q.AttributesToSearchOn = []string{"x"} }), api.CodeFeatureNotEnabled},
	} {
		_, err := s.Search(context.Background(), c.uid, c.request)
		var known *api.Error
		if !errors.As(err, &known) || known.Code.Name != c.code.Name {
			t.Errorf("%s: %v, want %s", c.name, err, c.code.Name)
		}
	}
}

// The refusal of an operator has the same code on every route, and an error keeps
// its place among those of other shards.
func TestSimilarRecodedTheRefusalOfAnOperator(t *testing.T) {
	settings := &api.Settings{Filterable: []api.FilterableRule{{Patterns: []string{"a"}, Equality: true}}}
	s := &similarSearch{plan: &SearchPlan{Settings: settings}}
	filter, fault := query.ParseFilterText("_geoRadius(95,1,1) OR (a = 1 AND a > 1)")
	if fault != nil {
		t.Fatal(fault)
	}
	for place, want := range map[int]api.Code{1: api.CodeInvalidSimilarFilter, 2: api.CodeInvalidSimilarFilter, 3: api.CodeInvalidSearchFilter} {
		err := s.filterFault(filter, api.NewError(api.CodeInvalidSearchFilter, "x").At(place))
		var known *api.Error
		if !errors.As(err, &known) || known.Code != want || known.Place != place {
			t.Errorf("condition %d: %+v", place, err)
		}
	}
}

func TestUnregisteredRemoteHidABadFilter(t *testing.T) {
	remote := "r"
	search := NewSearch(SearchConfig{Features: func() api.Features { return api.Features{Network: true} }})
	r := newRig(t)
	n := NewNetworkSearch(search, NewNetwork(r.log), nil)
	queries := []api.IndexQuery{{IndexUID: "a", FederationOptions: &api.FederationOptions{Remote: &remote}}, {IndexUID: "b"}}
	for filter, want := range map[string]string{
		`"a"`:     "Inside `.queries[1]`: Was expecting an operation",
		`"a = 1"`: "Inside `.queries[0]`: Invalid `.federation_options.remote`",
	} {
		queries[1].Filter = []byte(filter)
		if _, err := n.Federated(context.Background(), &api.FederatedRequest{Queries: queries}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", filter, err)
		}
	}
}

func TestForeignConditionHidABadSort(t *testing.T) {
	r := newRig(t)
	r.run()
	r.wait(r.must(r.writer.CreateIndex(context.Background(), "films", nil)))
	foreign, _ := foreignOver(t, 1)
	s := NewSearch(SearchConfig{Catalog: r.log.Catalog, Shards: r.shards, Foreign: foreign, Features: func() api.Features { return api.Features{ForeignKeys: true, Network: true} }})
	n := NewNetworkSearch(s, NewNetwork(r.log), nil)
	for sort, want := range map[string]string{"x": "Invalid syntax for the sort parameter", "x:asc": "Index `films`: Field `z` is not a foreign key"} {
		q := api.NewSearchRequest()
		q.Filter, q.Sort = []byte(`"_foreign(z, n = 1)"`), []string{sort}
		if _, err := n.Search(context.Background(), "films", q); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", sort, err)
		}
		_, err := n.Federated(context.Background(), &api.FederatedRequest{Queries: []api.IndexQuery{{IndexUID: "films", SearchRequest: *q}}})
		if err == nil || !strings.HasPrefix(strings.TrimPrefix(err.Error(), "Inside `.queries[0]`: "), want) {
			t.Errorf("federated, %s: %v", sort, err)
		}
	}
}
