package driver_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/coordinator/driver"
	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/facet"
	"shoal/shard/memindex"
	"shoal/shard/memshard"
	"shoal/shard/rank"
	"shoal/shard/rows"
	"shoal/wire"
)

// corpus is an index split over shards.
type corpus struct {
	t        testing.TB
	settings *settings.Settings
	lexis    *query.Lexis
	docs     map[uint32]string
	fields   []string
	shards   []*memshard.Shard
	facets   []*facet.Columns // by shard
	words    *driver.Words
	// row returns the row of an ordinal; nil if the rows are the ordinals.
	row func(ordinal uint32) uint32
}

func newCorpus(t testing.TB, settings *settings.Settings, docs map[uint32]string, shards int) *corpus {
	return newCorpusByRow(t, settings, docs, shards, nil)
}

func newCorpusByRow(t testing.TB, settings *settings.Settings, docs map[uint32]string, shards int, row func(ordinal uint32) uint32) *corpus {
	c := &corpus{row: row, t: t, settings: settings, docs: docs, lexis: query.NewLexis(settings, 0), fields: memindex.Fields(docs), words: driver.NewWords(new(atomic.Int64))}
	parts := make([]map[uint32]string, shards)
	for i := range parts {
		parts[i] = map[uint32]string{}
	}
	for ord, doc := range docs {
		parts[int(ord)%shards][ord] = doc
	}
	for i := range parts {
		own, order := parts[i], (*rows.Order)(nil)
		if row != nil {
			own, order = memindex.ByRow(parts[i], []uint32{0}, row)
		}
		shard, err := memshard.New(settings, c.fields, own)
		if err != nil {
			t.Fatal(err)
		}
		shard.SetOrder(order)
		c.shards = append(c.shards, shard)
		c.facets = append(c.facets, new(facet.Columns))
	}
	return c
}

// options are the parameters of a test search.
type options struct {
	query      string // for the twin
	strategy   rule.Strategy
	sort       []rule.Rule
	limit      int
	exhaustive bool
	threshold  float64
	distinct   string
	on         []string
	restricted bool
	expired    bool
	filter     docset.Set
	filtered   bool
}

func (c *corpus) field(name string) uint16 {
	fid, ok := c.shards[0].Schema().FieldID(name)
	if !ok {
		c.t.Fatalf("no field %q", name)
	}
	return fid
}

func (c *corpus) plan(q string, o options) *driver.Plan {
	p := &driver.Plan{
		Strategy: o.strategy, MaxWeight: query.MaxWeight(c.settings), ByAttribute: c.settings.ProximityPrecision == "byAttribute",
		Rules:       rule.NewRules(c.settings, rule.Keyword, o.strategy, o.sort, rule.Rule{}),
		Placeholder: rule.NewRules(c.settings, rule.Placeholder, o.strategy, o.sort, rule.Rule{}),
		Length:      o.limit, Exhaustive: o.exhaustive, MaxTotalHits: 1000, Words: c.words, Infix: c.settings.ByInfix(),
	}
	if strings.TrimSpace(q) != "" {
		p.Keywords = c.lexis.Parse(q, nil)
	}
	if o.threshold > 0 {
		p.Threshold = &o.threshold
	}
	if o.distinct != "" {
		p.Distinct, p.HasDistinct = c.field(o.distinct), true
	}
	if o.restricted {
		p.Restricted = true
		for _, name := range o.on {
			p.Fields = append(p.Fields, c.field(name))
		}
	}
	if o.expired {
		p.Deadline = time.Unix(1, 0)
	}
	if o.filtered {
		p.Filter = []byte("x")
	}
	return p
}

func (c *corpus) search(q string, o options) *driver.Ranked {
	c.t.Helper()
	var sessions []wire.Session
	for i, f := range c.shards {
		s := rank.New(f, func(context.Context, []byte) (docset.Set, error) { return f.Order().Set(o.filter.AppendTo(nil)), nil })
		s.WithFacets(f, c.facets[i])
		defer s.Close()
		sessions = append(sessions, s)
	}
	r, err := driver.Run(context.Background(), sessions, c.plan(q, o))
	if err != nil {
		c.t.Fatalf("%q: %v", q, err)
	}
	return r
}

// show writes the hits of a search, one a line: ordinal, score, details.
func (c *corpus) show(r *driver.Ranked) string {
	var b strings.Builder
	for _, h := range r.Hits {
		fmt.Fprintf(&b, "%d %v %s\n", h.Ordinal, h.Details.Score(), h.Details.AppendJSON(nil, c.settings))
	}
	fmt.Fprintf(&b, "total %d, touched %v\n", r.Total, r.Touched)
	return b.String()
}

// order writes ordinals only.
func order(r *driver.Ranked) string {
	var out []string
	for _, h := range r.Hits {
		out = append(out, fmt.Sprint(h.Ordinal))
	}
	return strings.Join(out, " ")
}

// texts makes documents with one field t, numbered from 1.
func texts(values ...string) map[uint32]string {
	docs := map[uint32]string{}
	for i, v := range values {
		docs[uint32(i+1)] = `{"t":` + string(jsonvalue.AppendString(nil, v)) + `}`
	}
	return docs
}
