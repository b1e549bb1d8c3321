package driver_test

import (
	"strings"
	"testing"

	"shoal/api/settings"
	"shoal/query/rule"
)

// With byAttribute a later bucket sees a pair of words only in documents that were ranked when
// the pair was first asked (spec ranking C18), however the documents are spread.
func TestPairsMatchWhatWasRankedFirst(t *testing.T) {
	docs := map[uint32]string{
		1: `{"a":"hello","b":"bar","n":1}`,
		2: `{"a":"hello","b":"bar","n":2}`,
		3: `{"a":"hello x bar","n":2}`,
	}
	settings := settings.Default()
	settings.ProximityPrecision = "byAttribute"
	settings.RankingRules = []string{"words", "sort", "proximity"}
	for _, shards := range []int{1, 2, 3} {
		c := newCorpus(t, settings, docs, shards)
		for _, desc := range []bool{false, true} {
			o := options{limit: 10, sort: []rule.Rule{{Kind: rule.Sort, Field: "n", Desc: desc}}}
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

// With byAttribute a word is split where its halves share one of the searched fields most
// often, whatever other fields hold.
func TestASplitIgnoresFieldsThatAreNotSearched(t *testing.T) {
	docs := map[uint32]string{
		1: `{"title":"x","body":"a bcd"}`,
		2: `{"title":"x","body":"a bcd"}`,
		3: `{"title":"ab cd","body":"x"}`,
		4: `{"title":"bcd a","body":"ab cd"}`,
		5: `{"title":"cd x ab","body":"a bcd"}`,
	}
	settings := settings.Default()
	settings.ProximityPrecision = "byAttribute"
	for _, shards := range []int{1, 2, 3} {
		c := newCorpus(t, settings, docs, shards)
		for want, o := range map[string]options{
			"1 2 5 4": {limit: 10},
			"3 5":     {limit: 10, restricted: true, on: []string{"title"}},
			"1 2 5":   {limit: 10, restricted: true, on: []string{"body"}},
		} {
			for range 2 { // what was kept of the search before changes nothing
				if got := order(c.search("abcd ", o)); got != want {
					t.Errorf("%d shards, on %v: %s, want %s", shards, o.on, got, want)
				}
			}
		}
	}
}
