package search

import (
	"context"
	"errors"
	"testing"

	"shoal/api"
	"shoal/coordinator/coordtest"
	"shoal/query/filter"
)

// The feature of media is asked for after the index, the kind of the search, its
// embedder and the syntax of its sort.
func TestMediaWithoutItsFeatureHidOtherErrors(t *testing.T) {
	log := coordtest.NewFilmsLog()
	s := New(Config{Catalog: log.Catalog, Shards: coordtest.NewShards(log), Features: func() api.Features { return api.Features{} }})
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
	s := &similarSearch{plan: &Plan{Settings: settings}}
	filter, fault := filter.ParseFilterText("_geoRadius(95,1,1) OR (a = 1 AND a > 1)")
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
