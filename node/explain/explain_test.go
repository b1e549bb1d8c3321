package explain

import (
	"strings"
	"testing"

	"shoal/coordinator/score"

	"shoal/coordinator/search"
	"shoal/query"
	"shoal/query/rule"
)

func TestExplanationShowsTermsReadingsAndBuckets(t *testing.T) {
	terms := []query.Term{
		{Text: "star", Known: true, One: []string{"scar", "stag", "stan", "stat", "stay", "stir"}},
		{Text: "wars", FirstID: 1, LastID: 1, First: 1, Last: 1, Prefix: true, Extensions: []string{"warsaw"}, Split: []string{"war", "s"}},
		{Text: "starwars", LastID: 1, Last: 1, Ngram: []string{"star", "wars"}},
	}
	e := &search.Explanation{Terms: terms, Graph: query.NewGraph(terms), Documents: 7}
	narrow := query.FromPaths([][]query.Ref{{{Term: 0, Sub: query.One}, {Term: 1, Sub: query.Zero}}})
	e.Bucket(0, &score.Detail{Rule: rule.Rule{Kind: rule.Words}, Rank: score.Rank{Rank: 2, Max: 2}}, 5, e.Graph)
	e.Bucket(1, &score.Detail{Rule: rule.Rule{Kind: rule.Typo}, Rank: score.Rank{Rank: 1, Max: 2}}, 1, narrow)
	var b strings.Builder
	explainQuery(&b, e)
	explainBuckets(&b, e)
	const want = `
terms
   star             in the index; one typo (6): scar, stag, stan, stat, stay ...
   wars*            not in the index; longer words (1): warsaw; split: war s
   starwars         joined from star + wars

ways to read it, 7 documents
   star + wars*
   starwars

buckets
   words 2/2: 5 documents by star + wars* | starwars
     typo 1/2: 1 document by star (one typo) + wars* (no typo)
`
	if got := b.String(); got != want {
		t.Errorf("explanation\n%s\nwant\n%s", got, want)
	}
}
