package rank_test

import (
	"errors"
	"testing"

	"shoal/api/settings"
	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/memindex"
	"shoal/shard/memshard"
	"shoal/shard/rank"
	"shoal/shard/rank/scope"
	"shoal/wire"
)

// A step of proximity with byAttribute that does not fit the session is an error of the
// driver, not a crash.
func TestAStepThatDoesNotFitIsAnError(t *testing.T) {
	settings := settings.Default()
	settings.ProximityPrecision = "byAttribute"
	docs := map[uint32]string{1: `{"t":"sun flower"}`, 2: `{"t":"flower sun"}`}
	shard, err := memshard.New(settings, memindex.Fields(docs), docs)
	if err != nil {
		t.Fatal(err)
	}
	s := rank.New(shard, nil)
	defer s.Close()
	terms := query.NewLexis(settings, 0).Parse("sun flower ", nil).Terms
	for i := range terms {
		terms[i].Known = true
	}
	if _, err := s.Step(t.Context(), &wire.SearchStep{Begin: &wire.BeginStep{Terms: terms}}); err != nil {
		t.Fatal(err)
	}
	start := &wire.StartRule{Rule: rule.Rule{Kind: rule.Proximity}, Graph: query.NewGraph(terms)}
	near := wire.SharedFieldCondition{Left: query.Ref{Term: 0, Sub: query.Full}, Right: query.Ref{Term: 1, Sub: query.Full}}
	for i, step := range []wire.SharedFieldStep{
		{Level: 0, Bucket: true},
		{Level: 1, Start: start},
		{Level: 0, Start: &wire.StartRule{}},
		{Level: 0, Start: start, Bucket: true, Visit: &wire.SharedFieldVisit{Depth: 1, Condition: near}},
		{Level: 0, Start: start, Bucket: true, Take: true},
		{Level: 0, Start: start, Bucket: true, Visit: &wire.SharedFieldVisit{Condition: near, Present: []uint64{}}},
		{Level: 0, Start: start, Bucket: true, Visit: &wire.SharedFieldVisit{Condition: wire.SharedFieldCondition{Right: query.Ref{Term: 9}}}},
	} {
		if _, err := s.Step(t.Context(), &wire.SearchStep{SharedField: &step}); !errors.Is(err, scope.ErrOrder) {
			t.Errorf("step %d: %v", i, err)
		}
	}
}
