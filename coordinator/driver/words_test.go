package driver

import (
	"fmt"
	"reflect"
	"sync/atomic"
	"testing"

	"shoal/query"
	"shoal/wire"
)

// A second search gets the derivations that the first one found. An n-gram gets no split into
// the words that it joins. After Drop nothing is cached.
func TestCachedWordsPinTheSameTerms(t *testing.T) {
	var total atomic.Int64
	words := NewWords(&total)
	found := []query.Term{{Text: "sunflower", Budget: 1, Known: true, One: []string{"sunflowers"}}}
	split := &splitChoice{term: &found[0], best: &splitCut{at: 3}}
	found[0].Split = split.split()
	(&Plan{Words: words}).keepWords([]wire.VocabularyWord{wordOf(&found[0])}, found, []int{0}, []*splitChoice{split})
	recall := func(p *Plan, t query.Term) string {
		p.Words, p.Keywords = words, &query.Keywords{Terms: []query.Term{t}}
		p.Recall()
		return fmt.Sprintf("%+v", p.Pinned)
	}
	asked := query.Term{Text: "sunflower", Budget: 1}
	if got := recall(new(Plan), asked); got != fmt.Sprintf("%+v", found) {
		t.Errorf("kept %s, found %+v", got, found)
	}
	joined := asked
	joined.Ngram = []string{"sun", "flower"}
	p := new(Plan)
	if recall(p, joined); len(p.Pinned) != 1 || p.Pinned[0].Split != nil || !reflect.DeepEqual(p.Pinned[0].One, found[0].One) {
		t.Errorf("the n-gram is %+v", p.Pinned)
	}
	asked.Prefix = true
	if got := recall(new(Plan), asked); got != "[]" {
		t.Errorf("the prefix was not asked: %s", got)
	}
	asked.Prefix = false
	if got := recall(&Plan{ByAttribute: true}, asked); got != "[]" {
		t.Errorf("with byAttribute the split came from the cache: %s", got)
	}
	if total.Load() == 0 {
		t.Error("the cache reports no memory")
	}
	words.Drop()
	(&Plan{Words: words}).keepWords([]wire.VocabularyWord{wordOf(&found[0])}, found, []int{0}, nil)
	if got := recall(new(Plan), asked); got != "[]" || total.Load() != 0 {
		t.Errorf("after Drop %s, %d bytes", got, total.Load())
	}
}
