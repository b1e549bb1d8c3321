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
	"shoal/shard/facet"
	"shoal/shard/rank"
	"shoal/wire"
)

// tops counts the steps by all rules at once. forget makes the shards read such a step as an older
// node does, which knows of no distinct values in it.
type tops struct {
	asked, declined, again int
	forget                 bool
}

// search runs a search over sessions that are counted. slow: the shards have no columns of
// facets, so they rank a search with distinct rule by rule.
func (n *tops) search(c *corpus, o options, slow bool) *driver.Ranked {
	c.t.Helper()
	var sessions []wire.Session
	for i, f := range c.shards {
		s := rank.New(f, func(context.Context, []byte) (docset.Set, error) { return f.Order().Set(o.filter.AppendTo(nil)), nil })
		if !slow {
			s.WithFacets(f, c.facets[i])
		}
		defer s.Close()
		sessions = append(sessions, n.counted(s, o.limit))
	}
	r, err := driver.Run(c.t.Context(), sessions, c.plan(o.query, o))
	if err != nil {
		c.t.Fatalf("%+v: %v", o, err)
	}
	return r
}

func (n *tops) counted(s wire.Session, limit int) wire.Session {
	return stepped(func(ctx context.Context, step *wire.SearchStep) (*wire.SearchReply, error) {
		if step.Top != nil && n.forget {
			top := *step.Top
			top.HasDistinct, step = false, &wire.SearchStep{Top: &top}
		}
		r, err := s.Step(ctx, step)
		if err == nil && step.Top != nil {
			n.asked++
			if r.Top.Declined {
				n.declined++
			}
			if step.Top.Want > limit {
				n.again++
			}
		}
		return r, err
	})
}

// sold are documents with two words at different distances, of groups, tags that groups share,
// and a field that few have.
func sold(n int) map[uint32]string {
	r := random{rand.New(rand.NewPCG(7, 7))}
	docs := map[uint32]string{}
	for i := range uint32(n) {
		few := ""
		if r.IntN(4) == 0 {
			few = fmt.Sprintf(`,"few":%d`, r.IntN(20))
		}
		docs[i] = fmt.Sprintf(`{"title":%q,"body":%q,"n":%d,"group":"g%d","tags":["t%d",%d]%s}`,
			r.text(), r.text(), r.IntN(50), r.IntN(120), r.IntN(40), r.IntN(12), few)
	}
	return docs
}

// Searches with distinct that are ranked by all rules at once have the hits, the scores and the
// totals of those that are ranked rule by rule, on any number of shards.
func TestDistinctByAllRulesAtOnceIsDistinctRuleByRule(t *testing.T) {
	asks, few := facet.ColumnAsks, facet.ColumnLeast
	defer func() { facet.ColumnAsks, facet.ColumnLeast = asks, few }()
	facet.ColumnAsks, facet.ColumnLeast = 1, 1
	r := random{rand.New(rand.NewPCG(1, 2))}
	docs := sold(3000)
	for _, shards := range []int{1, 3} {
		for _, byRow := range []bool{false, true} {
			var row func(uint32) uint32
			if byRow {
				row = func(ordinal uint32) uint32 { return ordinal ^ 5 }
			}
			c := newCorpusByRow(t, settings.Default(), docs, shards, row)
			r.columns(t, c)
			fast, slow := new(tops), new(tops)
			for range rounds(150, 30) {
				o := options{query: r.query(), limit: 1 + r.IntN(40), exhaustive: r.IntN(3) == 0, strategy: rule.Strategy(r.IntN(3))}
				o.distinct = r.pick("group", "tags", "few", "n")
				if r.IntN(3) == 0 {
					o.sort = []rule.Rule{{Kind: rule.Sort, Field: "n", Desc: r.IntN(2) == 0}}
				}
				if got, want := c.show(fast.search(c, o, false)), c.show(slow.search(c, o, true)); got != want {
					t.Fatalf("%d shards, by row %v, %+v\ngot:\n%swant:\n%s", shards, byRow, o, got, want)
				}
			}
			if fast.asked < 2*fast.declined || fast.again == 0 || slow.asked != slow.declined {
				t.Errorf("%d shards: %d of %d steps were declined, %d asked again; without columns %d of %d", shards, fast.declined, fast.asked, fast.again, slow.declined, slow.asked)
			}
		}
	}
}

// A document may exclude many others: here the best hundred share one value, and those behind them
// share one in runs. The shards are asked for more documents then, in the end for all.
func TestDistinctIsRankedAtOnceBehindManyThatShareAValue(t *testing.T) {
	for _, of := range []struct {
		run, steps int
		want       string
	}{{5, 2, "0 100 105 110"}, {50, 3, "0 100 150 200"}} {
		docs := map[uint32]string{}
		for i := range 2000 {
			shared := fmt.Sprint("run", i/of.run)
			if i < 100 {
				shared = "same"
			}
			docs[uint32(i)] = fmt.Sprintf(`{"t":"sun flower","n":%d,"d":[%q,%d]}`, i, shared, i)
		}
		for shards := 1; shards <= 3; shards++ {
			c := newCorpus(t, settings.Default(), docs, shards)
			o := options{query: "sun", limit: 4, distinct: "d", sort: []rule.Rule{{Kind: rule.Sort, Field: "n"}}}
			n := new(tops)
			n.search(c, o, false) // the second search of a field has a column
			*n = tops{}
			if got := order(n.search(c, o, false)); got != of.want || n.declined > 0 || n.asked > of.steps*shards || shards == 1 && n.asked < of.steps {
				t.Errorf("runs of %d, %d shards: %s, %d steps, %d declined; want %s, %d steps", of.run, shards, got, n.asked, n.declined, of.want, of.steps*shards)
			}
		}
	}
}

// Documents without a value exclude nothing. Those that cost as much as the last hit are not
// listed, but they still count as found.
func TestDocumentsWithoutADistinctValueCountBehindTheLastHit(t *testing.T) {
	docs := map[uint32]string{}
	for i := range uint32(1500) {
		docs[i] = `{"t":"sun"}`
		if i%3 == 0 {
			docs[i] = fmt.Sprintf(`{"t":"sun","d":%d}`, i%4)
		}
	}
	c := newCorpus(t, settings.Default(), docs, 1)
	o := options{query: "sun", limit: 5, distinct: "d"}
	n := new(tops)
	n.search(c, o, false)
	*n = tops{}
	if r := n.search(c, o, false); order(r) != "0 1 2 3 4" || r.Total != 1004 || n.asked-n.declined != 1 {
		t.Errorf("%s of %d, %d steps answered; want 0 1 2 3 4 of 1004, 1 step", order(r), r.Total, n.asked-n.declined)
	}
}

// A node with an older program answers the step for all rules at once without distinct values. The
// rules then find the answer one by one.
func TestAnOlderNodeRanksDistinctRuleByRule(t *testing.T) {
	c := newCorpus(t, settings.Default(), sold(1200), 2)
	o := options{query: "sun", limit: 10, distinct: "group"}
	want := c.show(new(tops).search(c, o, true))
	n := &tops{forget: true}
	if got := c.show(n.search(c, o, false)); got != want || n.asked == 0 || n.declined > 0 {
		t.Errorf("%d steps, %d declined\ngot:\n%swant:\n%s", n.asked, n.declined, got, want)
	}
}
