package search

import (
	"slices"
	"testing"

	"shoal/api"
	"shoal/api/settings"
	"shoal/coordinator/driver"
	"shoal/query"
	"shoal/query/rule"
)

// The vector side excludes the documents with excluded words and phrases in the searched
// fields, and needs no other words. A purely semantic search treats its query as plain text.
func TestBothSidesOfAHybridSearchExcludeNegativeWords(t *testing.T) {
	for _, kind := range []rule.QueryKind{rule.Keyword, rule.Semantic} {
		request := api.NewSearchRequest()
		request.Hybrid = &settings.Hybrid{Embedder: "e"}
		p := &Plan{Settings: settings.Default(), Request: request, Kind: kind, semantic: &semantic{embedder: new(settings.Embedder)}}
		p.Drive = driver.Plan{Restricted: true, Fields: []uint16{3}, Keywords: &query.Keywords{
			Terms: []query.Term{{Text: "bird"}}, Negatives: []query.Negative{{Words: []string{"star"}}, {Words: []string{"big", "ship"}, Phrase: true}},
		}}
		p.fillSemantic(nil)
		k := p.semantic.drive.Keywords
		if kind == rule.Semantic {
			if k != nil {
				t.Errorf("a semantic search excludes %+v", k)
			}
			continue
		}
		words, phrases := k.Excluded()
		if k == nil || len(k.Terms) != 0 || !slices.Equal(words, []string{"star"}) || len(phrases) != 1 || !p.semantic.drive.Restricted || len(p.semantic.drive.Fields) != 1 {
			t.Errorf("the vector side of a hybrid search excludes %+v", k)
		}
	}
}
