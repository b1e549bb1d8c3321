package search

import (
	"context"
	"errors"
	"testing"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/coordinator/coordtest"
	"shoal/query/filter"
)

// The media feature is checked after the index, the kind of the search, its embedder and the
// syntax of its sort.
func TestOtherErrorsComeBeforeThatOfMediaWithoutItsFeature(t *testing.T) {
	log := coordtest.NewFilmsLog()
	s := New(Config{Catalog: log.Catalog, Shards: coordtest.NewShards(log), Features: func() settings.Features { return settings.Features{} }})
	media := func(change func(*api.SearchRequest)) *api.SearchRequest {
		q := api.NewSearchRequest()
		q.Media = []byte("{}")
		change(q)
		return q
	}
	keyword := func(q *api.SearchRequest) { q.Hybrid = &settings.Hybrid{Embedder: "none"} }
	for _, c := range []struct {
		name, uid string
		request   *api.SearchRequest
		code      apierr.Code
	}{
		{"index", "none", media(keyword), apierr.CodeIndexNotFound},
		{"hybrid", "films", media(func(*api.SearchRequest) {}), apierr.CodeMissingSearchHybrid},
		{"vector", "films", media(func(q *api.SearchRequest) { q.Vector = []float32{1} }), apierr.CodeInvalidSearchMediaAndVector},
		{"embedder", "films", media(func(q *api.SearchRequest) { q.Hybrid = &settings.Hybrid{Embedder: "none", SemanticRatio: 1} }), apierr.CodeInvalidSearchEmbedder},
		{"sort", "films", media(func(q *api.SearchRequest) { keyword(q); q.Sort = []string{"x"} }), apierr.CodeInvalidSearchSort},
		{"feature", "films", media(func(q *api.SearchRequest) { keyword(q); q.AttributesToSearchOn = []string{"x"} }), apierr.CodeFeatureNotEnabled},
	} {
		_, err := s.Search(context.Background(), c.uid, c.request)
		var known *apierr.Error
		if !errors.As(err, &known) || known.Code.Name != c.code.Name {
			t.Errorf("%s: %v, want %s", c.name, err, c.code.Name)
		}
	}
}

// The error about an operator, or about `_shard`, has the same code on every route, and an error keeps its place
// among those of other shards.
func TestTheErrorAboutAnOperatorHasOneCodeOnAllRoutes(t *testing.T) {
	settings := &settings.Settings{Filterable: []settings.FilterableRule{{Patterns: []string{"a"}, Equality: true}}}
	s := &similarSearch{plan: &Plan{Settings: settings}}
	filter, fault := filter.ParseFilterText("_geoRadius(95,1,1) OR (a = 1 AND a > 1) OR _shard = a")
	if fault != nil {
		t.Fatal(fault)
	}
	for place, want := range map[int]apierr.Code{1: apierr.CodeInvalidSimilarFilter, 2: apierr.CodeInvalidSimilarFilter, 3: apierr.CodeInvalidSearchFilter, 4: apierr.CodeInvalidSearchFilter} {
		err := s.filterFault(filter, apierr.New(apierr.CodeInvalidSearchFilter, "x").At(place))
		var known *apierr.Error
		if !errors.As(err, &known) || known.Code != want || known.Place != place {
			t.Errorf("condition %d: %+v", place, err)
		}
	}
}
