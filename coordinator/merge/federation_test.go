package merge

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"shoal/coordinator/score"

	"shoal/api"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/query/rule"
	"shoal/wire"
)

var (
	oldRules = []string{"words", "typo", "proximity", "attribute", "sort", "exactness"}
	newRules = settings.DefaultRankingRules
)

func sortOn(criteria ...string) (rules []rule.Rule) {
	for _, c := range criteria {
		field, desc, _ := cutDirection(c)
		kind := rule.Sort
		if field == "_geoPoint(1,2)" {
			kind, field = rule.Geo, ""
		}
		rules = append(rules, rule.Rule{Kind: kind, Field: field, Desc: desc})
	}
	return rules
}

// The messages are the reference's, or derived from its rules.
func TestIncompatibleQueriesAreExplained(t *testing.T) {
	placeholder := func(names ...string) string {
		var b strings.Builder
		for i, n := range names {
			at := slices.Index(oldRules, n)
			fmt.Fprintf(&b, "    %d. Removed relevancy rule `%s` at position #%d in ranking rules because the query is a placeholder search (`q`: \"\")\n", i+1, n, at)
		}
		return b.String()
	}
	removed := placeholder("words", "typo", "proximity", "attribute", "exactness")
	for name, c := range map[string]struct {
		a, b RuleQuery
		want string
	}{
		"opposite directions": {
			RuleQuery{Position: 1, IndexUID: "batman", Rules: oldRules, Sort: sortOn("id:desc"), HasSort: true, Kind: rule.Placeholder},
			RuleQuery{Position: 0, IndexUID: "movies", Rules: oldRules, Sort: sortOn("title:asc"), HasSort: true, Kind: rule.Placeholder},
			"The results of queries #1 and #0 are incompatible: \n  1. `queries[1].sort[0]`, `batman.rankingRules[0]`: descending sort rule(s) on field `id`\n" +
				"  2. `queries[0].sort[0]`, `movies.rankingRules[0]`: ascending sort rule(s) on field `title`\n  - cannot compare two sort rules in opposite directions\n" +
				"  - note: The ranking rules of query #1 were modified during canonicalization:\n" + removed +
				"  - note: The ranking rules of query #0 were modified during canonicalization:\n" + removed,
		},
		"relevancy and sort": {
			RuleQuery{Position: 2, IndexUID: "s", Rules: newRules, Sort: sortOn("title:desc"), HasSort: true},
			RuleQuery{Position: 1, IndexUID: "m", Rules: []string{"sort", "words", "typo", "proximity", "attribute", "exactness"}, Sort: sortOn("title:desc"), HasSort: true},
			"The results of queries #2 and #1 are incompatible: \n  1. `queries[2]`, `s.rankingRules[0..=3]`: relevancy rule(s) words, typo, proximity, attributeRank\n" +
				"  2. `queries[1].sort[0]`, `m.rankingRules[0]`: descending sort rule(s) on field `title`\n  - cannot compare a relevancy rule with a sort rule\n",
		},
		"prepended words, no sort": {
			RuleQuery{Position: 0, IndexUID: "a", Rules: []string{"typo", "sort", "price:asc"}},
			RuleQuery{Position: 1, IndexUID: "b", Rules: []string{"words", "_geo:desc"}},
			"The results of queries #0 and #1 are incompatible: \n  1. `queries[0]`, `a.rankingRules[2]`: ascending sort rule(s) price:asc\n" +
				"  2. `queries[1]`, `b.rankingRules[1]`: descending geo sort rule(s) _geo:desc\n  - cannot compare a sort rule with a geosort rule\n" +
				"  - note: The ranking rules of query #0 were modified during canonicalization:\n" +
				"    1. Prepended rule `words` before first relevancy rule `typo` at position #0 in ranking rules\n" +
				"   2. Removed rule `sort` at position #1 in ranking rules because `query.sort` is empty\n",
		},
		"duplicates": {
			RuleQuery{Position: 0, IndexUID: "a", Rules: []string{"sort", "x:desc"}, HasSort: true, Sort: sortOn("x:asc", "x:desc", "_geoPoint(1,2):asc", "_geoPoint(1,2):desc"), Kind: rule.Placeholder},
			RuleQuery{Position: 1, IndexUID: "b", Rules: []string{"sort"}, HasSort: true, Sort: sortOn("y:asc", "_geoPoint(1,2):desc"), Kind: rule.Placeholder},
			"The results of queries #0 and #1 are incompatible: \n  1. `queries[0].sort[1]`, `a.rankingRules[0]`: ascending geo sort rule(s) default\n" +
				"  2. `queries[1].sort[1]`, `b.rankingRules[0]`: descending geo sort rule(s) default\n  - cannot compare two geosort rules in opposite directions\n" +
				"  - note: The ranking rules of query #0 were modified during canonicalization:\n" +
				"    1. Removed duplicate rule `x:asc` at position #1 in `query.sort` (as `sort` is #0 in ranking rules) as it already appears at position #0 in `query.sort` (as `sort` is #0 in ranking rules)\n" +
				"    2. Removed duplicate rule `_geo(..):asc` at position #3 in `query.sort` (as `sort` is #0 in ranking rules) as it already appears at position #2 in `query.sort` (as `sort` is #0 in ranking rules)\n" +
				"    3. Removed duplicate rule `x:asc` at position #1 in ranking rules as it already appears at position #0 in `query.sort` (as `sort` is #0 in ranking rules)\n",
		},
		"vector": {
			RuleQuery{Position: 0, IndexUID: "a", Rules: newRules, HasSort: true, Sort: sortOn("x:asc"), Kind: rule.Semantic},
			RuleQuery{Position: 1, IndexUID: "b", Rules: []string{"x:asc"}, Kind: rule.Semantic},
			"The results of queries #0 and #1 are incompatible: \n  1. `queries[0]`, `a.rankingRules[0]`: relevancy rule(s) words\n  2. `queries[1]`, `b.rankingRules[0]`: ascending sort rule(s) x:asc\n" +
				"  - cannot compare a relevancy rule with a sort rule\n  - note: The ranking rules of query #0 were modified during canonicalization:\n" +
				"    1. Removed relevancy rule `typo` at position #1 in ranking rules because the query is a vector search and `vector` was already inserted at position #0 in ranking rules\n" +
				"    2. Removed relevancy rule `proximity` at position #2 in ranking rules because the query is a vector search and `vector` was already inserted at position #0 in ranking rules\n" +
				"    3. Removed relevancy rule `attributeRank` at position #3 in ranking rules because the query is a vector search and `vector` was already inserted at position #0 in ranking rules\n" +
				"    4. Truncated relevancy rule `wordPosition` at position #5 in ranking rules and later rules because the query is a vector search and `vector` was inserted at position #0 in ranking rules\n",
		},
	} {
		var check Compatibility
		if err := check.Add(&c.a); err != nil {
			t.Fatal(name, err)
		}
		err := check.Add(&c.b)
		if err == nil || err.Message != c.want {
			t.Errorf("%s:\ngot  %v\nwant %s", name, err, c.want)
		}
	}
}

func TestCompatibleQueriesAreAccepted(t *testing.T) {
	var check Compatibility
	for i, q := range []RuleQuery{
		{Rules: newRules},
		{Rules: []string{"typo"}},
		{Rules: newRules, Strategy: api.MatchAll, HasSort: true, Sort: sortOn("a:asc")},
		{Rules: []string{"exactness", "b:asc", "words"}},
		{Rules: nil, Kind: rule.Placeholder},
	} {
		q.Position = uint64(i)
		if err := check.Add(&q); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func scored(s float64) Value { return Value{Kind: ScoreValue, Score: s} }

func text(s string, desc bool) Value {
	return Value{Kind: SortValue, Desc: desc, Sort: wire.SortValue{Kind: wire.SortString, Text: s}}
}

func far(d float64, desc bool) Value {
	return Value{Kind: GeoValue, Desc: desc, Distance: d, HasDistance: true}
}

func TestCompare(t *testing.T) {
	none := Value{Kind: SortValue, Sort: wire.SortValue{Kind: wire.SortNone}}
	number := Value{Kind: SortValue, Sort: wire.SortValue{Kind: wire.SortNumber, Number: 9}}
	for i, c := range []struct {
		a, b []Value
		want int
	}{
		{[]Value{scored(.5)}, []Value{scored(.4)}, 1},
		{[]Value{scored(.5)}, []Value{scored(.5 + 1e-17)}, 0},
		{[]Value{scored(.5)}, []Value{{Kind: VectorValue, Score: .6}}, -1},
		{[]Value{text("a", false)}, []Value{text("b", false)}, 1},
		{[]Value{text("a", true)}, []Value{text("b", true)}, -1},
		{[]Value{number}, []Value{text("a", false)}, 1},
		{[]Value{none}, []Value{text("a", false)}, -1},
		{[]Value{{Kind: SortValue, Desc: true, Sort: none.Sort}}, []Value{text("a", true)}, -1},
		{[]Value{far(2, false)}, []Value{far(1, false)}, 1},
		{[]Value{far(2, true)}, []Value{far(1, true)}, 1},
		{[]Value{far(2, false)}, []Value{{Kind: GeoValue}}, 1},
		{[]Value{scored(1)}, []Value{scored(1), scored(0)}, -1},
		{[]Value{scored(1), scored(1)}, []Value{text("a", false)}, 1},
		{[]Value{scored(1)}, []Value{text("a", false)}, -1}, // equal lengths: the global scores decide
	} {
		if got := Compare(c.a, c.b, .1, .2); got != c.want {
			t.Errorf("%d: %d, want %d", i, got, c.want)
		}
		if back := Compare(c.b, c.a, .2, .1); back != -c.want {
			t.Errorf("%d backwards: %d", i, back)
		}
	}
}

func TestValues(t *testing.T) {
	details := score.Details{
		{Rule: rule.Rule{Kind: rule.Words}, Rank: score.Rank{Rank: 2, Max: 2}},
		{Rule: rule.Rule{Kind: rule.Typo}, Rank: score.Rank{Rank: 1, Max: 2}},
		{Rule: rule.Rule{Kind: rule.Sort, Desc: true}, Value: wire.SortValue{Kind: wire.SortNumber, Number: 3}},
		{Rule: rule.Rule{Kind: rule.AttributeRank}, Rank: score.Rank{Rank: 1, Max: 4}},
	}
	want := []Value{scored(1.5), {Kind: SortValue, Desc: true, Sort: wire.SortValue{Kind: wire.SortNumber, Number: 3}}, scored(.5)}
	if got := Values(details, 2); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// The result must equal sorting all hits, for lists that are sorted.
func TestMergeEqualsSorting(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	for range 200 {
		var lists [][]Ranked
		var all []Ranked
		for q := range r.IntN(4) {
			list := make([]Ranked, r.IntN(8))
			for i := range list {
				list[i] = Ranked{Values: []Value{scored(float64(r.IntN(4)))}, Query: uint64(q), Ref: q*10 + i}
			}
			slices.SortStableFunc(list, func(a, b Ranked) int { return -Compare(a.Values, b.Values, 0, 0) })
			lists, all = append(lists, list), append(all, list...)
		}
		slices.SortStableFunc(all, func(a, b Ranked) int {
			if c := Compare(b.Values, a.Values, 0, 0); c != 0 {
				return c
			}
			return int(a.Query) - int(b.Query)
		})
		limit := uint64(r.IntN(20))
		want := all[:min(limit, uint64(len(all)))]
		if got := Merge(lists, limit, nil); len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
}

func TestMergeFacets(t *testing.T) {
	values := func(pairs ...any) (out []api.FacetValue) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, api.FacetValue{Value: pairs[i].(string), Count: uint64(pairs[i+1].(int))})
		}
		return out
	}
	results := []api.FacetsResult{
		{IndexUID: "a", Facets: api.Facets{Distribution: []api.FacetCounts{{Field: "f", Values: values("x", 1, "y", 2, "m", 2)}, {Field: "e"}}, Stats: []api.FacetStat{{Field: "f", Min: 1, Max: 2}}}},
		{IndexUID: "b", Facets: api.Facets{Distribution: []api.FacetCounts{{Field: "f", Values: values("z", 1, "x", 4)}}, Stats: []api.FacetStat{{Field: "f", Min: 0, Max: 1}}}},
	}
	limit := uint64(3)
	got := MergeFacets(results, func(f string) bool { return f == "f" }, &limit)
	want := &api.Facets{
		Distribution: []api.FacetCounts{{Field: "e", Values: []api.FacetValue{}}, {Field: "f", Values: values("x", 5, "y", 2, "m", 2)}},
		Stats:        []api.FacetStat{{Field: "f", Min: 0, Max: 2}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	var check OrderCheck
	count := settings.Default()
	count.SortFacetValuesBy = map[string]string{"*": "alpha", "f": "count"}
	if err := check.Add("a", []string{"f", "e"}, settings.Default()); err != nil {
		t.Fatal(err)
	}
	err := check.Add("b", []string{"e", "f"}, count)
	if err == nil || err.Message != "Inconsistent order for values in facet `f`: index `a` orders alphabetically, but index `b` orders by count.\n - Hint: Remove `federation.mergeFacets` or change `faceting.sortFacetValuesBy` to be consistent in settings." {
		t.Error(err)
	}
}

func TestWeightedRoundTrip(t *testing.T) {
	values := []Value{
		scored(.25), {Kind: VectorValue, Score: 1}, text("a\"", true), {Kind: SortValue, Sort: wire.SortValue{Kind: wire.SortNone}},
		{Kind: SortValue, Sort: wire.SortValue{Kind: wire.SortNumber, Number: 2}}, far(3.5, false), {Kind: GeoValue, Desc: true},
	}
	data := AppendWeighted(nil, values)
	if want := `[{"weightedScore":0.25},{"vectorSort":1.0},{"sort":{"asc":false,"value":"a\""}},{"sort":{"asc":true,"value":null}},{"sort":{"asc":true,"value":2.0}},{"geoSort":{"asc":true,"distance":3.5}},{"geoSort":{"asc":false,"distance":null}}]`; string(data) != want {
		t.Errorf("%s", data)
	}
	v, err := jsonvalue.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	got, parseErr := ParseWeighted(&v)
	if parseErr != nil || !reflect.DeepEqual(got, values) {
		t.Errorf("%v %+v", parseErr, got)
	}
}

func FuzzParseWeighted(f *testing.F) {
	f.Add([]byte(`[{"weightedScore":0.25},{"sort":{"asc":true,"value":"x"}},{"geoSort":{"asc":true,"distance":1}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := jsonvalue.Parse(data)
		if err != nil {
			return
		}
		values, parseErr := ParseWeighted(&v)
		if parseErr == nil && len(values) != v.Len() {
			t.Errorf("%s: %v", data, values)
		}
	})
}
