package driver_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"shoal/api/settings"
	"shoal/coordinator/driver"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/memshard"
	"shoal/shard/rank"
	"shoal/shard/rank/columns"
	"shoal/shard/record"
	"shoal/wire"
)

// limits counts the steps by all rules at once that had a limit, and the answers with fewer
// documents than wanted. slow: shards decline such steps. forget: they read a limit as an older
// node does.
type limits struct {
	limited, few int
	slow, forget bool
}

// search returns the answer to a search and which documents count as found.
func (n *limits) search(c *corpus, o options) string {
	c.t.Helper()
	var sessions []wire.Session
	var shards []*rank.Ranker
	for _, f := range c.shards {
		s := rank.New(f, func(context.Context, []byte) (docset.Set, error) { return docset.Set{}, nil })
		defer s.Close()
		shards, sessions = append(shards, s), append(sessions, n.counted(s))
	}
	r, err := driver.Run(c.t.Context(), sessions, c.plan(o.query, o))
	if err != nil {
		c.t.Fatalf("%+v: %v", o, err)
	}
	out := c.show(r)
	for i, s := range shards {
		out += fmt.Sprintln("shard", i, s.Found().AppendTo(nil))
	}
	return out
}

func (n *limits) counted(s wire.Session) wire.Session {
	return stepped(func(ctx context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
		switch {
		case step.Top == nil:
			return s.Step(ctx, step)
		case n.slow:
			return &wire.SearchReply{Top: &wire.TopReply{Declined: true}}, nil
		case n.forget:
			top := *step.Top
			top.Limit, step = nil, &wire.SearchStep{Top: &top}
		}
		r, err := s.Step(ctx, step)
		if err == nil && step.Top.Limit != nil {
			n.limited++
			if len(r.Top.Ordinals) < step.Top.Want {
				n.few++
			}
		}
		return r, err
	})
}

// Searches with a threshold that are ranked by all rules at once have the hits, the scores and the
// candidates of those that are ranked rule by rule, on any number of shards, and if some nodes
// know no limits.
func TestAThresholdByAllRulesAtOnceIsThatRuleByRule(t *testing.T) {
	r := random{rand.New(rand.NewPCG(1, 2))}
	docs := sold(2000)
	for _, shards := range []int{1, 3} {
		for _, byRow := range []bool{false, true} {
			var row func(uint32) uint32
			if byRow {
				row = func(ordinal uint32) uint32 { return ordinal ^ 5 }
			}
			c := newCorpusByRow(t, settings.Default(), docs, shards, row)
			r.columns(t, c)
			fast, slow, older := new(limits), &limits{slow: true}, &limits{forget: true}
			for range rounds(200, 60) {
				o := options{query: r.query(), limit: r.IntN(60), exhaustive: r.IntN(3) == 0, strategy: rule.Strategy(r.IntN(3))}
				if o.threshold = 0.8 + 0.2*r.Float64(); r.IntN(3) == 0 {
					o.threshold = r.Float64()
				}
				if r.IntN(3) == 0 {
					o.limit = 1000
				}
				if r.IntN(3) == 0 {
					o.sort = []rule.Rule{{Kind: rule.Sort, Field: "n", Desc: r.IntN(2) == 0}}
				}
				if r.IntN(3) == 0 {
					o.restricted, o.on = true, []string{"title", "body"}[:1+r.IntN(2)]
				}
				want := slow.search(c, o)
				for _, n := range []*limits{fast, older} {
					if got := n.search(c, o); got != want {
						t.Fatalf("%d shards, by row %v, %+v, older nodes %v\ngot:\n%swant:\n%s", shards, byRow, o, n.forget, got, want)
					}
				}
			}
			if least := rounds(10, 3); fast.few < least || fast.limited < least+fast.few {
				t.Errorf("%d shards: %d steps had a limit, %d of them found too few", shards, fast.limited, fast.few)
			}
		}
	}
}

// countedReads counts the records that are read of a shard.
type countedReads struct {
	*memshard.Shard
	n *int
}

type recordCounter struct {
	record.TokenReader
	n *int
}

func (s countedReads) Tokens() record.TokenReader { return recordCounter{s.Shard.Tokens(), s.n} }

func (r recordCounter) Read(row uint32) (record.Tokens, bool, error) {
	*r.n++
	return r.TokenReader.Read(row)
}

// A search on some attributes reads the records of hardly any document if there are columns: the
// step by all rules at once read those of all, and the universe those with rare words.
func TestARestrictedSearchReadsFewRecords(t *testing.T) {
	c := newCorpus(t, settings.Default(), sold(3000), 1)
	f := c.shards[0]
	b, err := memshard.BuildBlock(t.Context(), f, 0, f.Live().Block(0), columns.NewPieceCache(1<<20), false)
	if err != nil {
		t.Fatal(err)
	}
	f.SetColumns(f.Columns().With(b, b.Docs(), b.Docs()))
	for _, q := range []string{"sun flower", "cat", "redbird hello", "the s", "sunflower 12"} {
		reads := 0
		s := rank.New(countedReads{f, &reads}, nil)
		o := options{query: q, limit: 10, restricted: true, on: []string{"body"}}
		r, err := driver.Run(t.Context(), []wire.Session{s}, c.plan(q, o))
		if err != nil {
			t.Fatal(err)
		}
		if r.Total < 100 || reads > 20 {
			t.Errorf("%q: %d records were read for %d documents", q, reads, r.Total)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
