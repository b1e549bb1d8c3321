package wire

import (
	"bytes"
	"fmt"
	"testing"

	"shoal/query"
	"shoal/query/rule"
)

// Older nodes must make the same keys. Otherwise all work done ahead is lost during an upgrade.
func TestSearchKeysAreStable(t *testing.T) {
	graph := query.NewGraph(terms())
	start := &StartRule{Rule: rule.Rule{Kind: rule.Typo}, Graph: graph, Hi: 1, Touched: 5}
	for _, c := range []struct {
		step *SearchStep
		want string
	}{
		{&SearchStep{Begin: &BeginStep{Terms: terms(), Reduced: graph}}, "d30345500560e91b5eedea69de23ae5b 0"},
		{&SearchStep{Buckets: &BucketsStep{Level: 1, Start: start, Want: 20}}, "699b8da636ccf00f4fff013db2cdbbeb 20"},
		{&SearchStep{Buckets: &BucketsStep{Level: 1, Want: 3}}, "178b92109148ed6978fdd0c6d15df8d3 3"},
		{&SearchStep{Top: &TopStep{Level: 1, Hi: 1, Rules: []rule.Rule{{Kind: 3}, {Kind: 4}}, Graph: graph, Want: 9, Micros: 70}}, "7d791dae3aa1887b1e705b9fd8d5cb2b 9"},
		{&SearchStep{Take: &TakeStep{Level: 1, Lo: 2, Hi: 3, Limit: 4}}, "bb4759096be04cfa73a89bed32bee03a 4"},
		{&SearchStep{Facets: &FacetsStep{}}, "5f75adc157b6b41791755a69d72a3ca8 0"},
	} {
		before, err := Marshal(c.step)
		if err != nil {
			t.Fatal(err)
		}
		key, want, err := c.step.key()
		if got := fmt.Sprintf("%x %d", key, want); err != nil || got != c.want {
			t.Errorf("%s is named %s, %v, not %s", c.step.Kind(), got, err, c.want)
		}
		if after, err := Marshal(c.step); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s has changed, %v", c.step.Kind(), err)
		}
	}
}

// A step that this node took is compared by value, a step of another node by its digest. Both
// ways must agree.
func TestStepsAreRecognisedByValueAsByDigest(t *testing.T) {
	graph, shorter := query.NewGraph(terms()), query.NewGraph(terms()[:1])
	bucket := func(change func(*BucketsStep, *StartRule)) *SearchStep {
		start := &StartRule{Rule: rule.Rule{Kind: rule.Typo}, Graph: graph, Hi: 1, Frequency: []uint64{1}}
		step := &BucketsStep{Level: 1, Start: start, Want: 20}
		change(step, start)
		return &SearchStep{Buckets: step}
	}
	top := func(change func(*TopStep)) *SearchStep {
		step := &TopStep{Level: 1, Hi: 1, Rules: []rule.Rule{{Kind: rule.Typo}}, Graph: graph, Want: 9}
		change(step)
		return &SearchStep{Top: step}
	}
	take := func(change func(*TakeStep)) *SearchStep {
		step := &TakeStep{Level: 1, Lo: 2, Hi: 3, Limit: 4}
		change(step)
		return &SearchStep{Take: step}
	}
	steps := []*SearchStep{
		bucket(func(*BucketsStep, *StartRule) {}),
		bucket(func(b *BucketsStep, _ *StartRule) { b.Level = 2 }),
		bucket(func(b *BucketsStep, _ *StartRule) { b.Want = 5 }),
		bucket(func(b *BucketsStep, _ *StartRule) { b.Ordinals = true }),
		bucket(func(b *BucketsStep, _ *StartRule) { b.Start = nil }),
		bucket(func(_ *BucketsStep, s *StartRule) { s.Rule.Kind = rule.Proximity }),
		bucket(func(_ *BucketsStep, s *StartRule) { s.Graph = shorter }),
		bucket(func(_ *BucketsStep, s *StartRule) { s.Lo = 1 }),
		bucket(func(_ *BucketsStep, s *StartRule) { s.Hi = 2 }),
		bucket(func(_ *BucketsStep, s *StartRule) { s.Strategy = rule.Frequency }),
		bucket(func(_ *BucketsStep, s *StartRule) { s.Frequency = []uint64{2} }),
		bucket(func(_ *BucketsStep, s *StartRule) { s.Touched = 1 }),
		top(func(*TopStep) {}),
		top(func(s *TopStep) { s.Level = 2 }),
		top(func(s *TopStep) { s.Lo = 1 }),
		top(func(s *TopStep) { s.Hi = 2 }),
		top(func(s *TopStep) { s.Rules = []rule.Rule{{Kind: rule.Proximity}} }),
		top(func(s *TopStep) { s.Graph = shorter }),
		top(func(s *TopStep) { s.Want = 10 }),
		top(func(s *TopStep) { s.Micros = 1 }),
		top(func(s *TopStep) { s.HasDistinct = true }),
		top(func(s *TopStep) { s.Limit = []uint32{1} }),
		top(func(s *TopStep) { s.Limit = []uint32{1, 2} }),
		top(func(s *TopStep) { s.Distinct, s.HasDistinct = 1, true }),
		take(func(*TakeStep) {}),
		take(func(s *TakeStep) { s.Level = 2 }),
		take(func(s *TakeStep) { s.Lo = 1 }),
		take(func(s *TakeStep) { s.Hi = 4 }),
		take(func(s *TakeStep) { s.From = 1 }),
		take(func(s *TakeStep) { s.Limit = 3 }),
		take(func(s *TakeStep) { s.Distinct, s.HasDistinct = 1, true }),
	}
	answered := 0
	for i, taken := range steps {
		digest, err := Prefetched(taken)
		if err != nil {
			t.Fatal(err)
		}
		value := PrefetchedReply{Taken: taken}
		for j, asked := range steps {
			byDigest, err := digest.Answer(asked)
			if err != nil {
				t.Fatal(err)
			}
			byValue, err := value.Answer(asked)
			if err != nil {
				t.Fatal(err)
			}
			if (byDigest == nil) != (byValue == nil) {
				t.Errorf("%s %d answers %s %d: %v by digest, %v by value", taken.Kind(), i, asked.Kind(), j, byDigest != nil, byValue != nil)
			}
			if byValue != nil {
				answered++
			}
		}
	}
	// Each answers itself. So do steps that differ in what does not matter, and those that ask
	// for fewer documents.
	if want := len(steps) + 9; answered != want {
		t.Errorf("%d pairs answer each other, not %d", answered, want)
	}
}
