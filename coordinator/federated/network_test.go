package federated

import (
	"context"
	"strings"
	"testing"

	"shoal/api"
	"shoal/api/settings"
	"shoal/coordinator/coordtest"
	"shoal/coordinator/documents"
	"shoal/coordinator/search"
	"shoal/coordinator/search/foreign"
	"shoal/wire"
)

func TestABadFilterIsReportedBeforeAnUnregisteredRemote(t *testing.T) {
	remote := "r"
	search := search.New(search.Config{Catalog: coordtest.NewFilmsLog().Catalog, Features: func() settings.Features { return settings.Features{Network: true} }})
	n := NewNetworkSearch(Config{Search: search, Network: noNetwork})
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

// Faults of foreign conditions are reported before those of the sort.
func TestForeignConditionsAreResolvedBeforeTheSortIsParsed(t *testing.T) {
	log := coordtest.NewFilmsLog()
	features := func() settings.Features { return settings.Features{ForeignKeys: true, Network: true} }
	keys := foreign.New(log.Catalog, documents.New(log, coordtest.NewShards(log), "n1", features), features)
	s := search.New(search.Config{Catalog: log.Catalog, Shards: coordtest.NewShards(log), Foreign: keys, Features: features})
	n := NewNetworkSearch(Config{Search: s, Network: noNetwork})
	const want = "Index `films`: Field `z` is not a foreign key"
	for _, sort := range []string{"x", "x:asc"} {
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

// The foreign conditions of all queries are checked before the first one is evaluated.
func TestForeignKeysOfAllQueriesAreCheckedFirst(t *testing.T) {
	log := coordtest.NewFilmsLog()
	s := settings.Default()
	s.ForeignKeys = []byte(`[{"foreignIndexUid":"films","fieldName":"like"}]`)
	log.State.ByID[7].Settings = wire.EncodeSettings(s)
	features := func() settings.Features { return settings.Features{ForeignKeys: true} }
	keys := foreign.New(log.Catalog, documents.New(log, coordtest.NewShards(log), "n1", features), features)
	n := NewNetworkSearch(Config{Search: search.New(search.Config{Catalog: log.Catalog, Shards: coordtest.NewShards(log), Foreign: keys, Features: features}), Network: noNetwork})
	var queries []api.IndexQuery
	for _, filter := range []string{`"_foreign(like, n = 1)"`, `"_foreign(z, n = 1)"`} {
		queries = append(queries, api.IndexQuery{IndexUID: "films", SearchRequest: api.SearchRequest{Filter: []byte(filter)}})
	}
	_, err := n.Federated(t.Context(), &api.FederatedRequest{Queries: queries})
	if err == nil || err.Error() != "Index `films`: Field `z` is not a foreign key" {
		t.Error(err)
	}
}

// With foreign keys a missing index is reported before filters, remotes and other indexes, and
// its error names no query.
func TestWithForeignKeysEveryIndexIsLookedUpFirst(t *testing.T) {
	log := coordtest.NewFilmsLog()
	on := settings.Features{ForeignKeys: true, Network: true}
	features := func() settings.Features { return on }
	keys := foreign.New(log.Catalog, documents.New(log, coordtest.NewShards(log), "n1", features), features)
	s := search.New(search.Config{Catalog: log.Catalog, Shards: coordtest.NewShards(log), Foreign: keys, Features: features})
	n := NewNetworkSearch(Config{Search: s, Network: noNetwork})
	nowhere, title := "nowhere", "title"
	queries := []api.IndexQuery{
		{IndexUID: "films", SearchRequest: api.SearchRequest{Filter: []byte(`"a"`)}},
		{IndexUID: "zebras", FederationOptions: &api.FederationOptions{Remote: &nowhere}},
	}
	request := &api.FederatedRequest{Queries: queries, Federation: api.Federation{Distinct: &title}}
	check := func(want string) {
		t.Helper()
		if _, err := n.Federated(context.Background(), request); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	check("Index `zebras` not found.")
	if err := n.CheckFederated(request); err == nil || err.Error() != "Index `zebras` not found." {
		t.Error(err)
	}
	queries[0].Filter, queries[1].FederationOptions = nil, nil
	check("Index `zebras` not found.")
	on.ForeignKeys = false
	check("Inside `.queries[0]`: Index `films`: Attribute `title` is not filterable and thus, cannot be used as distinct attribute.")
	on.ForeignKeys, request.Proxied = true, true
	check("Inside `.queries[0]`: Index `films`: Attribute `title` is not filterable and thus, cannot be used as distinct attribute.")
}

func noNetwork() *api.Network { return new(api.Network) }
