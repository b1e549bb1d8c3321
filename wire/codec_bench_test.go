package wire

import (
	"bytes"
	"fmt"
	"testing"

	"shoal/query"
	"shoal/query/rule"
)

// typing returns the messages of a search of two words on two nodes, shaped like recorded ones.
// The opening message carries the word statistics of the asking node. The answer has the steps
// that the other node worked ahead, and ten hits.
func typing() (*SearchOpen, *SearchReply) {
	var rules []rule.Rule
	for kind := range rule.Kind(7) {
		rules = append(rules, rule.Rule{Kind: kind + 1})
	}
	list := func(n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprintf("trust%c%c", 'a'+i/26, 'a'+i%26))
		}
		return out
	}
	plan := &PrefetchPlan{
		Rules: rules, MaxWeight: 4, Length: 20, Enough: 20, Millis: 1499, Hits: 10, Part: 1.0 / 3, Cuts: true, Parts: true,
		Show: &RenderOptions{PreTag: "<em>", PostTag: "</em>", CropLength: 10, CropMarker: "…"},
	}
	words := []WordFacts{{Known: true, Typos: []TypoWord{{Word: "functions", Distance: 1}}, Bounds: []uint32{3, 386}}, {Known: true, Extensions: list(13)}, {}}
	step := &SearchOpen{
		Index: PinnedIndex{Key: ShardKey{IndexID: 1}, Version: 2, DeltaID: "2-2-4", PrimaryKey: "id"}, DeadlineMillis: 1499,
		First: &SearchStep{Vocabulary: &VocabularyStep{
			Words: []VocabularyWord{
				{Text: "funtions", Budget: 1, Splits: true}, {Text: "trust", Prefix: true, Budget: 1, Splits: true}, {Text: "funtionstrust", Prefix: true, Budget: 1, Splits: true}},
			Ahead: 8, Begin: &BeginStep{Terms: terms(), Ahead: plan}, Others: []VocabularyReply{{Words: words}},
		}},
	}
	var top TopReply
	for i := range uint32(20) {
		top.Ordinals, top.Costs = append(top.Ordinals, 37386-i*i), append(top.Costs, 0, i/4, i, 2, 1)
	}
	key := bytes.Repeat([]byte{0xd5}, 16)
	bucket := &BucketsReply{Buckets: []Bucket{{Count: 195, Paths: []rule.Path{{8589934593, 12884901889}}}}, More: true}
	begun := SearchReply{Universe: &UniverseReply{Count: 3574}, Ahead: []PrefetchedReply{
		{Step: key, Want: 20, Reply: SearchReply{Buckets: bucket}}, {Step: key, Want: 20, Reply: SearchReply{Buckets: bucket}}, {Step: key, Want: 20, Reply: SearchReply{Top: &top}}}}
	reply := &SearchReply{
		Vocabulary: &VocabularyReply{Words: words, Counts: []CutCount{{At: 2, All: true}, {At: 1, All: true}}},
		Ahead:      []PrefetchedReply{{Step: key, Reply: begun}}, Shown: &Shown{Ordinals: top.Ordinals[10:], Touched: 7}, WaitedMicros: 18,
	}
	for i := range 10 {
		reply.Shown.Documents = append(reply.Shown.Documents, Rendered{Document: bytes.Repeat([]byte{'a' + byte(i)}, 500+i*100)})
	}
	return step, reply
}

func terms() []query.Term {
	return []query.Term{
		{Text: "funtions", Budget: 1}, {Text: "trust", First: 1, Last: 1, FirstID: 1, LastID: 1, Prefix: true, Budget: 1},
		{Text: "funtionstrust", Last: 1, LastID: 1, Prefix: true, Budget: 1, Ngram: []string{"funtions", "trust"}},
	}
}

// BenchmarkMarshal encodes and decodes the messages of a search.
func BenchmarkMarshal(b *testing.B) {
	step, reply := typing()
	for name, v := range map[string]any{"step": step, "reply": reply} {
		raw, err := Marshal(v)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("write-"+name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if _, err := Marshal(v); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("read-"+name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				var err error
				if name == "step" {
					err = Unmarshal(raw, new(SearchOpen))
				} else {
					err = Unmarshal(raw, new(SearchReply))
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkKey makes keys for the steps of a search. A search has about five steps on each
// node.
func BenchmarkKey(b *testing.B) {
	graph := query.NewGraph(terms())
	start := &StartRule{Rule: rule.Rule{Kind: rule.Typo}, Graph: graph, Hi: 1}
	for name, step := range map[string]*SearchStep{
		"begin":   {Begin: &BeginStep{Terms: terms(), Reduced: graph}},
		"buckets": {Buckets: &BucketsStep{Level: 1, Start: start, Want: 20}},
		"top":     {Top: &TopStep{Level: 1, Hi: 1, Rules: []rule.Rule{{Kind: 3}, {Kind: 4}, {Kind: 5}}, Graph: graph, Want: 20}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := step.key(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
