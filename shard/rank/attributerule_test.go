package rank_test

import (
	"strings"
	"testing"

	"shoal/api"
	"shoal/query"
)

// TestPairsMatchWhatWasRankedFirst: with byAttribute a later bucket sees a pair of
// words only in documents that were ranked when it was first asked for (spec
// ranking C18), however the documents are spread.
func TestPairsMatchWhatWasRankedFirst(t *testing.T) {
	docs := map[uint32]string{
		1: `{"a":"hello","b":"bar","n":1}`,
		2: `{"a":"hello","b":"bar","n":2}`,
		3: `{"a":"hello x bar","n":2}`,
	}
	settings := api.DefaultSettings()
	settings.ProximityPrecision = "byAttribute"
	settings.RankingRules = []string{"words", "sort", "proximity"}
	for _, shards := range []int{1, 2, 3} {
		c := newCorpus(t, settings, docs, shards)
		for _, desc := range []bool{false, true} {
			o := options{limit: 10, sort: []query.Rule{{Kind: query.Sort, Field: "n", Desc: desc}}}
			want := `"proximity":{"order":2,"score":0.25}`
			if desc {
				want = `"proximity":{"order":2,"score":1.0}`
			}
			for _, line := range strings.Split(c.show(c.search("hallo bar ", o)), "\n") {
				if strings.HasPrefix(line, "3 ") && !strings.Contains(line, want) {
					t.Errorf("%d shards, descending %v: %s, want %s", shards, desc, line, want)
				}
			}
		}
	}
}
