package search

import (
	"context"
	"errors"
	"testing"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/coordinator/coordtest"
	"shoal/coordinator/documents"
	"shoal/coordinator/search/foreign"
	"shoal/wire"
)

// ruledShards hides every target. It keeps the filters that it was asked with, or refuses them.
type ruledShards struct {
	*coordtest.ListShards
	asked  []string
	refuse error
}

func (s *ruledShards) OpenSearch(context.Context, wire.NodeID, *wire.SearchOpen) (wire.Session, error) {
	return &ruledSession{s}, nil
}

type ruledSession struct{ of *ruledShards }

func (s *ruledSession) Step(_ context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
	if step.Target == nil {
		return &wire.SearchReply{Universe: &wire.UniverseReply{Count: 1}}, nil
	}
	s.of.asked = append(s.of.asked, string(step.Target.Filter))
	return &wire.SearchReply{Target: &wire.TargetReply{}}, s.of.refuse
}

func (*ruledSession) Close() error { return nil }

// similarUnder searches with the filter of a tenant token.
func similarUnder(t *testing.T, shards *ruledShards, rule string) *apierr.Error {
	t.Helper()
	log, lists, books := coordtest.NewForeignLog(t, 3)
	shards.ListShards = lists
	books.Settings = []byte(`{"foreignKeys":[{"foreignIndexUid":"x","fieldName":"author"}],"embedders":{"m":{"source":"userProvided","dimensions":2}}}`)
	books.Shards = log.State.ByID[1].Shards
	features := func() settings.Features { return settings.Features{ForeignKeys: true} }
	keys := foreign.New(log.Catalog, documents.New(log, lists, "a", features), features)
	s := New(Config{Catalog: log.Catalog, Shards: shards, Self: "a", Features: features, Foreign: keys})
	request := &api.SimilarRequest{ID: []byte(`7`), Embedder: "m", Limit: 20, Rule: []byte(rule), Filter: []byte(rule)}
	err := s.Attempt(t.Context(), func(c *Attempt) error {
		_, err := c.Similar(t.Context(), "books", request)
		return err
	})
	var refused *apierr.Error
	if !errors.As(err, &refused) {
		t.Fatalf("%s: %v", rule, err)
	}
	return refused
}

// TestATenantMayBeLimitedByForeignKeysInSimilar: shards were asked with the foreign condition
// itself, which they refuse, so every search for similar documents failed.
func TestATenantMayBeLimitedByForeignKeysInSimilar(t *testing.T) {
	shards := &ruledShards{}
	if err := similarUnder(t, shards, `"_foreign(author, n > 0)"`); err.Code != apierr.CodeNotFoundSimilarID {
		t.Error(err)
	}
	if len(shards.asked) != 1 || shards.asked[0] != `"\"author\" IN [\"0\", \"1\", \"2\"]"` {
		t.Error(shards.asked)
	}
}

// TestAWrongFilterOfATenantIsRefusedAsByTheReference: the message did not name the index, and
// an attribute that is not filterable had the code of this route.
func TestAWrongFilterOfATenantIsRefusedAsByTheReference(t *testing.T) {
	const found = "Invalid syntax for the filter parameter: `expected String, "
	for rule, want := range map[string]string{
		`1`:                 "Index `books`: " + found + "Array, found: 1`.",
		`[1]`:               "Index `books`: " + found + "[String], found: 1`.",
		`"author ="`:        "Index `books`: Was expecting a value but instead got nothing.\n9:9 author =",
		`["a = 1","b = ["]`: "Was expecting a value but instead got `[`.\n5:6 b = [",
	} {
		shards := &ruledShards{}
		if err := similarUnder(t, shards, rule); err.Code != apierr.CodeInvalidSimilarFilter || err.Message != want {
			t.Errorf("%s: %s: %s", rule, err.Code.Name, err.Message)
		}
	}
	refused := apierr.New(apierr.CodeInvalidSearchFilter, "not filterable")
	if err := similarUnder(t, &ruledShards{refuse: refused}, `"nope = 1"`); err.Code != apierr.CodeInvalidSearchFilter {
		t.Errorf("%s: %s", err.Code.Name, err.Message)
	}
}
