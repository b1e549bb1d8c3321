package search_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"shoal/api"
	"shoal/cluster-test/solo"
	"shoal/coordinator/schedule"
	"shoal/coordinator/search"
)

// product is a document of the test, as a search shows it.
type product struct {
	ID     int
	Colors []string
	Score  float64   `json:"_rankingScore"`
	Group  []product `json:"_group"`
}

func found(t *testing.T, s *search.Search, body map[string]any) (hits []product) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r := api.NewSearchRequest()
	if err := json.Unmarshal(text, r); err != nil { // the members have the same names
		t.Fatal(err)
	}
	answer, err := s.Search(t.Context(), "docs", r)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if answer.Degraded {
		t.Fatalf("%s: cut off", text)
	}
	var shown struct{ Hits []product }
	if err := json.Unmarshal(answer.AppendJSON(nil, &api.Envelope{}), &shown); err != nil {
		t.Fatal(err)
	}
	return shown.Hits
}

// TestAGroupIsWhatTheSearchFindsAmongItsValues: hits with groups are those without, and
// each group is what the same search finds with a filter by the values of its hit.
func TestAGroupIsWhatTheSearchFindsAmongItsValues(t *testing.T) {
	for _, shards := range []int{1, 4} {
		t.Run(fmt.Sprint(shards, " shards"), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(shards), 7))
			n := solo.Open(t, shards)
			n.Schedule(schedule.Jobs{})
			n.Settings("docs", `{"filterableAttributes":["colors","n"],"sortableAttributes":["n"],"searchableAttributes":["t"]}`)
			words := strings.Fields("lamp lamps table red big of two")
			colors := []string{"red", "blue", "grün", `it's "q"`, "10", "a b", "Zz"}
			var docs []string
			for i := range 120 {
				var text []string
				for range 1 + r.IntN(4) {
					text = append(text, words[r.IntN(len(words))])
				}
				list := []string{}
				for range r.IntN(3) {
					list = append(list, colors[r.IntN(len(colors))])
				}
				doc, err := json.Marshal(map[string]any{"id": i, "t": strings.Join(text, " "), "colors": list, "n": r.IntN(9)})
				if err != nil {
					t.Fatal(err)
				}
				docs = append(docs, string(doc))
			}
			n.Upload("docs", strings.Join(docs, "\n"))
			n.Idle()
			s, grouped := n.Search(), 0
			for range 60 {
				q := map[string]any{"q": words[r.IntN(len(words))] + " " + words[r.IntN(len(words))], "limit": 1 + r.IntN(9), "offset": r.IntN(3), "showRankingScore": true}
				if r.IntN(2) == 0 {
					q["filter"] = "n > 2 OR n = 0"
				}
				if r.IntN(3) == 0 {
					q["sort"], q["rankingRules"] = []string{"n:desc"}, []string{"sort", "words"}
				}
				q["distinct"] = "colors"
				alone := found(t, s, q)
				q["hitsPerGroup"] = 2 + r.IntN(5)
				hits := found(t, s, q)
				if len(hits) != len(alone) {
					t.Fatalf("%v: %d hits with groups, %d without", q, len(hits), len(alone))
				}
				for i := range hits {
					if hits[i].ID != alone[i].ID {
						t.Fatalf("%v: hit %d is %d with groups, %d without", q, i, hits[i].ID, alone[i].ID)
					}
					want := group(t, s, q, &hits[i])
					if !slices.EqualFunc(hits[i].Group, want, func(a, b product) bool { return a.ID == b.ID && a.Score == b.Score }) {
						t.Fatalf("%v: the group of %d is %v, want %v", q, hits[i].ID, hits[i].Group, want)
					}
					grouped += len(want)
				}
			}
			if grouped < 200 {
				t.Errorf("%d documents in groups: too few to tell", grouped)
			}
		})
	}
}

// group finds the group of a hit the slow way.
func group(t *testing.T, s *search.Search, q map[string]any, hit *product) []product {
	t.Helper()
	if len(hit.Colors) == 0 {
		return nil
	}
	var same []string
	for _, c := range hit.Colors {
		value, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		same = append(same, "colors = "+string(value))
	}
	one := map[string]any{"q": q["q"], "limit": 200, "showRankingScore": true, "filter": []any{same}}
	if f, ok := q["filter"]; ok {
		one["filter"] = []any{f, same}
	}
	for _, name := range []string{"sort", "rankingRules"} {
		if v, ok := q[name]; ok {
			one[name] = v
		}
	}
	all := slices.DeleteFunc(found(t, s, one), func(p product) bool { return p.ID == hit.ID })
	return all[:min(len(all), q["hitsPerGroup"].(int)-1)]
}
