package driver_test

import (
	"strings"
	"testing"

	"shoal/api/settings"
)

// A rule that chooses among several readings of a query leaves no document without a
// bucket: a document takes part in a reading only by words that count for it. Here
// document 31 has "ab in" side by side, but where no typo is allowed for "a of".
func TestEveryDocumentThatIsFoundIsShown(t *testing.T) {
	docs := map[uint32]string{
		18: `{"t":"an well-known i"}`,
		31: `{"t":"it harbour c","u":"ab.in.well-known"}`,
		45: `{"t":"in"}`,
		57: `{"t":"ab"}`,
	}
	for _, precision := range []string{"byWord", "byAttribute"} {
		for _, rules := range [][]string{
			{"typo", "proximity", "exactness"},
			{"typo", "proximity", "wordPosition"},
			{"typo", "attributeRank", "exactness"},
			{"typo", "wordPosition", "exactness"},
			{"words", "typo", "proximity", "attributeRank", "sort", "wordPosition", "exactness"},
		} {
			settings := settings.Default()
			settings.RankingRules, settings.ProximityPrecision = rules, precision
			settings.TypoTolerance.OneTypo, settings.TypoTolerance.TwoTypos = 0, 0
			settings.TypoTolerance.DisableOnAttributes = []string{"u"}
			for _, shards := range []int{1, 2, 3} {
				c := newCorpus(t, settings, docs, shards)
				o := options{query: "well-known it a of", limit: 10}
				got, _, _ := strings.Cut(c.show(c.search(o.query, o)), ", touched")
				want, _, _ := strings.Cut(newTwin(c, o).run(), ", touched")
				if got != want || strings.Count(got, "\n") != 2 {
					t.Errorf("%s, %v, %d shards:\n%s, want\n%s", precision, rules, shards, got, want)
				}
			}
		}
	}
}
