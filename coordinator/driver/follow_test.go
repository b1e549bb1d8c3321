package driver_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"shoal/api/settings"
	"shoal/coordinator/driver"
	"shoal/query"
	"shoal/shard/docset"
	"shoal/shard/rank"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/topk"
	"shoal/wire"
)

// orderChecked is a session that checks the order of words before it ranks by them.
type orderChecked struct {
	*rank.Ranker
	t            *testing.T
	told, untold *int
}

func (s orderChecked) Step(ctx context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
	if step.Top != nil {
		told, untold, err := s.CheckOrder(ctx, step.Top)
		if err != nil {
			s.t.Fatal(err)
		}
		*s.told, *s.untold = *s.told+told, *s.untold+untold
	}
	return s.Ranker.Step(ctx, step)
}

// The column of words in order gives the same ranking as the records, whatever part of the
// words has columns.
func TestColumnsRankAsRecordsDo(t *testing.T) {
	column, words, cached, other, last, paired := columns.MinDocs, columns.MaxWords, query.MinCachedWords, columns.OtherFields, topk.LastNode, columns.MaxPaired
	defer func() {
		columns.MinDocs, columns.MaxWords, query.MinCachedWords, columns.OtherFields, topk.LastNode, columns.MaxPaired = column, words, cached, other, last, paired
	}()
	columns.MinDocs = 1
	told, untold := 0, 0
	for seed := range uint64(rounds(60, 20)) {
		r := random{rand.New(rand.NewPCG(seed, 7))}
		columns.MaxWords, query.MinCachedWords = 1+r.IntN(40), 1+r.IntN(5)
		columns.MaxPaired = r.IntN(20)
		topk.LastNode = r.IntN(8)
		docs := map[uint32]string{0: `{"title":"sun","body":"flower","tag":"cat","n":1,"c":"p"}`}
		for i := range 60 {
			docs[uint32(i+1)] = r.document()
		}
		settings := settings.Default()
		if r.IntN(2) == 0 {
			settings = r.settings()
		}
		c := newCorpus(t, settings, docs, 1)
		r.columns(t, c)
		for range 30 {
			o := options{query: r.query(), limit: 20}
			if r.IntN(3) == 0 {
				o.restricted, o.on = true, []string{"title", "body", "tag"}[:1+r.IntN(2)]
			}
			s := rank.New(c.shards[0], func(context.Context, []byte) (docset.Set, error) { return docset.Set{}, nil })
			if _, err := driver.Run(t.Context(), []wire.Session{orderChecked{s, t, &told, &untold}}, c.plan(o.query, o)); err != nil {
				t.Fatalf("seed %d, %q: %v", seed, o.query, err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d documents were told by their words in order, %d were not", told, untold)
	if told < 1000 || untold < 100 {
		t.Errorf("%d documents were told by their words in order, %d were not: too few to mean something", told, untold)
	}
}
