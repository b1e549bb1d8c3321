package filter

import (
	"errors"
	"math/rand/v2"
	"testing"

	"shoal/api/apierr"
	"shoal/api/settings"
	"shoal/query/filter"
	"shoal/shard/memindex"
)

// A shard leaves an AND when none of its documents are left, before a condition
// that is refused; another one goes on to it. Of what shards find, the error with
// the least place is the one of a shard with all documents.
func TestOfTwoRefusedConditionsManyShardsReportTheSameAsOne(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	s := settings.Default()
	s.Filterable = append(memindex.Plain("a"),
		settings.FilterableRule{Patterns: []string{"b"}, Equality: true}, settings.FilterableRule{Patterns: []string{"c"}, Comparison: true})
	later, refused := 0, 0
	for range 60 {
		docs := randomDocuments(r, 1+r.IntN(12))
		whole, parts := memindex.New(s, memindex.Fields(docs), docs), memindex.Split(s, docs, 3)
		for range 60 {
			parsed := mixedFilter(r, 3)
			f, fault := filter.ParseFilterText(parsed)
			if fault != nil {
				t.Fatalf("%s: %v", parsed, fault)
			}
			want := refusalOf(t, whole, f)
			var got *apierr.Error
			for _, part := range parts {
				found := refusalOf(t, part, f)
				if found != nil && (got == nil || found.Before(got)) {
					got = found
				}
				if found != nil && want != nil && found.Message != want.Message {
					later++
				}
			}
			if (got == nil) != (want == nil) || got != nil && *got != *want {
				t.Fatalf("%s: shards report %v, one shard %v\n%v", parsed, got, want, docs)
			}
			if want != nil {
				refused++
			}
		}
	}
	if refused == 0 || later == 0 {
		t.Fatalf("%d filters were refused, %d times a shard met another condition first", refused, later)
	}
}

// mixedFilter joins conditions of which some are refused.
func mixedFilter(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(4) == 0 {
		conditions := []string{"a = 1", "a > 2", "a = x", "NOT a < 0", "b = 1", "c < 1", "b > 1", "b <= 0", "b 0 TO 1", "c = x", "c IN [1, y]"}
		return conditions[r.IntN(len(conditions))]
	}
	with := []string{" AND ", " AND ", " OR "}[r.IntN(3)]
	joined := "(" + mixedFilter(r, depth-1) + with + mixedFilter(r, depth-1) + ")"
	if r.IntN(5) == 0 {
		joined = "NOT " + joined
	}
	return joined
}

func refusalOf(t *testing.T, ix Index, f *filter.Filter) *apierr.Error {
	t.Helper()
	_, err := Evaluate(t.Context(), ix, f, apierr.CodeInvalidSearchFilter)
	var client *apierr.Error
	if err != nil && (!errors.As(err, &client) || client.Place == 0) {
		t.Fatal(err)
	}
	return client
}
