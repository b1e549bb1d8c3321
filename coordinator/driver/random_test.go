package driver_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"shoal/api/settings"
	"shoal/query"
	"shoal/query/rule"
	"shoal/shard/docset"
	"shoal/shard/facet"
	"shoal/shard/memindex"
	"shoal/shard/memshard"
	"shoal/shard/rank/columns"
	"shoal/shard/rank/rules"
	"shoal/shard/rank/scope"
	"shoal/shard/rank/topk"
)

// random makes corpora, settings and queries from few words, so that typos, n-grams, splits,
// prefixes and phrases all occur.
type random struct{ *rand.Rand }

var vocabulary = strings.Fields("sun flower sunflower flowers flawer sunny sum the cat cats cut scat 12 123 new york newyork yorks hello helo hallo help red bird redbird readbird a ab abc")

func (r random) word() string { return vocabulary[r.IntN(len(vocabulary))] }

func (r random) pick(list ...string) string { return list[r.IntN(len(list))] }

func (r random) text() string {
	var b strings.Builder
	for i := range 1 + r.IntN(6) {
		if i > 0 {
			b.WriteString(r.pick(" ", " ", " ", " ", ". ", ", "))
		}
		b.WriteString(r.word())
	}
	return b.String()
}

func (r random) document() string {
	var parts []string
	for _, field := range []string{"title", "body", "tag"} {
		if r.IntN(4) > 0 {
			parts = append(parts, fmt.Sprintf("%q:%q", field, r.text()))
		}
	}
	switch r.IntN(4) {
	case 0:
		parts = append(parts, fmt.Sprintf(`"n":%d`, r.IntN(4)))
	case 1:
		parts = append(parts, fmt.Sprintf(`"n":[%d,"%s"]`, r.IntN(4), r.pick("x", "y")))
	case 2:
		parts = append(parts, fmt.Sprintf(`"n":"%s"`, r.pick("x", "y", "")))
	}
	if r.IntN(4) > 0 {
		parts = append(parts, fmt.Sprintf(`"c":["%s","%s"]`, r.pick("p", "q", "r"), r.pick("p", "s", "t")))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (r random) settings() *settings.Settings {
	s := settings.Default()
	s.TypoTolerance.OneTypo, s.TypoTolerance.TwoTypos = 3+r.IntN(3), 5+r.IntN(4)
	if r.IntN(4) == 0 { // paths with many typos
		s.TypoTolerance.OneTypo, s.TypoTolerance.TwoTypos = 0, 2*r.IntN(3)
	}
	s.TypoTolerance.Enabled = r.IntN(8) > 0
	if r.IntN(3) == 0 {
		s.TypoTolerance.DisableOnAttributes = []string{r.pick("title", "tag")}
	}
	if r.IntN(3) == 0 {
		s.TypoTolerance.InfixOnAttributes = []string{r.pick("title", "body", "tag"), "tag"}
	}
	if r.IntN(4) == 0 {
		s.TypoTolerance.DisableOnWords = []string{"hello"}
	}
	if r.IntN(3) == 0 {
		s.SearchableAttributes = []string{"body", "title", "tag"}[:2+r.IntN(2)]
	}
	if r.IntN(4) == 0 {
		s.ProximityPrecision = "byAttribute"
	}
	if r.IntN(4) == 0 {
		s.PrefixSearch = "disabled"
	}
	if r.IntN(3) == 0 {
		s.StopWords = []string{"the", "a"}
	}
	if r.IntN(2) == 0 {
		s.Synonyms = map[string][]string{"sun": {"new york", "cat"}, "new york": {"red"}, "cat": {"the sun", "hello help cat"}, "red": {"flower"}, "flower": {"sun sun", "sun"}}
	}
	rules := []string{"words", "typo", "proximity", "attribute", "sort", "exactness", "n:desc"}
	if r.IntN(2) == 0 {
		rules = []string{"words", "typo", "proximity", "attributeRank", "sort", "wordPosition", "exactness", "n:asc"}
	}
	if r.IntN(2) == 0 {
		r.Shuffle(len(rules), func(i, j int) { rules[i], rules[j] = rules[j], rules[i] })
	}
	s.RankingRules = rules[:len(rules)-r.IntN(4)]
	return s
}

func (r random) query() string {
	var b strings.Builder
	for i := range 1 + r.IntN(3) {
		if i > 0 {
			b.WriteString(r.pick(" ", " ", " ", ". "))
		}
		w := r.word()
		switch r.IntN(8) {
		case 0:
			w = w[:1+r.IntN(len(w))]
		case 1:
			at := r.IntN(len(w))
			w = w[:at] + r.pick("x", "e", "") + w[at+1:]
		case 4:
			w = w[min(len(w)-1, 1+r.IntN(2)):]
		case 2:
			for range r.IntN(4) {
				w += " " + r.word()
			}
			w = `"` + w + `"`
		case 3:
			if i > 0 {
				w = "-" + w
			}
		}
		b.WriteString(w)
	}
	return b.String() + r.pick("", "", "", " ")
}

func (r random) options(q string) options {
	o := options{query: q, limit: r.IntN(8), strategy: rule.Strategy(r.IntN(3)), exhaustive: r.IntN(3) == 0}
	if r.IntN(3) == 0 {
		o.limit = 100
	}
	if r.IntN(3) == 0 {
		o.sort = []rule.Rule{{Kind: rule.Sort, Field: r.pick("n", "c", "unknown"), Desc: r.IntN(2) == 0}}
	}
	if r.IntN(4) == 0 {
		o.threshold = float64(1+r.IntN(9)) / 10
	}
	if r.IntN(4) == 0 {
		o.distinct = r.pick("c", "n")
	}
	if r.IntN(5) == 0 {
		o.restricted, o.on = true, []string{"title", "body", "tag"}[:1+r.IntN(2)]
	}
	if r.IntN(5) == 0 {
		o.filtered, o.filter = true, docset.Of(1, 2, 3, 5, 8, 13, 21, 34)
	}
	return o
}

// TestAgainstTwin compares hits, order, scores, details and totals with the twin,
// for 1, 2 and 5 shards, and with every limit of the engine at its lowest.
func TestAgainstTwin(t *testing.T) {
	extensions, cached, scan, column, small, other := query.MaxExtensions, query.MinCachedWords, rules.SortScan, columns.MinDocs, topk.SmallCell, columns.OtherFields
	inside := query.MaxInfix
	share, chunk, words, group, paired := scope.SortShare, scope.SortChunk, columns.MaxWords, topk.GroupDocs, columns.MaxPaired
	least, most, last, cold, lists := topk.SampleMin, topk.SampleMax, topk.LastNode, columns.ColdReads, topk.MoreLists
	asks, few, many := facet.ColumnAsks, facet.ColumnLeast, facet.ManyValues
	reset := func() {
		facet.ColumnAsks, facet.ColumnLeast, facet.ManyValues = asks, few, many
		query.MaxExtensions, query.MinCachedWords, rules.SortScan = extensions, cached, scan
		query.MaxInfix = inside
		columns.MinDocs, topk.SmallCell, columns.OtherFields = column, small, other
		scope.SortShare, scope.SortChunk, columns.MaxWords, topk.GroupDocs, columns.MaxPaired = share, chunk, words, group, paired
		topk.SampleMin, topk.SampleMax, topk.LastNode, columns.ColdReads, topk.MoreLists = least, most, last, cold, lists
	}
	defer reset()
	for seed := range uint64(rounds(100, 10)) {
		r := random{rand.New(rand.NewPCG(seed, 1))}
		reset()
		if r.IntN(2) == 0 {
			query.MaxExtensions, query.MinCachedWords, rules.SortScan = 2, 2+r.IntN(2), 2
			query.MaxInfix = 1 + r.IntN(2)
		}
		if r.IntN(3) > 0 {
			columns.MinDocs, columns.OtherFields, scope.SortShare = 1, uint16(r.IntN(5)), r.IntN(3)
			topk.SmallCell, scope.SortChunk = r.IntN(4), 1+r.IntN(4)
			topk.SampleMin, topk.SampleMax, topk.LastNode = 1+r.IntN(4), r.IntN(2)*512, r.IntN(8)
			topk.GroupDocs, columns.ColdReads = r.IntN(8), int64(seed%2)*cold
			if r.IntN(2) == 0 {
				columns.MaxWords, columns.MaxPaired = 1+r.IntN(20), r.IntN(20)
			}
		}
		if r.IntN(3) > 0 {
			facet.ColumnAsks, facet.ColumnLeast, facet.ManyValues, topk.MoreLists = 1, 1+r.IntN(2)*r.IntN(4), r.IntN(3), r.IntN(2)*lists
		}
		docs := map[uint32]string{}
		stride := []uint32{1, 1, 8009, 30011}[r.IntN(4)] // over several blocks
		for i := range 5 + r.IntN(40) {
			docs[uint32(i)*stride] = r.document()
		}
		docs[0] = `{"title":"sun","body":"flower","tag":"cat","n":1,"c":"p"}`
		settings := r.settings()
		var splits []*corpus
		for _, n := range []int{1, 2, 5} {
			c := newCorpusByRow(t, settings, docs, n, r.rows(stride))
			r.columns(t, c)
			splits = append(splits, c)
		}
		for round := range 3 {
			for range 8 {
				o := r.options(r.query())
				want := newTwin(splits[0], o).run()
				for i, c := range splits {
					if got := c.show(c.search(o.query, o)); got != want {
						t.Fatalf("seed %d, round %d, corpus %d, query %q, options %+v, settings %+v, fields %v\ngot:\n%swant:\n%sdocs: %v",
							seed, round, i, o.query, o, *settings, memindex.Fields(docs), got, want, docs)
					}
				}
			}
			docs, splits = r.change(t, settings, docs, splits, stride)
		}
	}
}

// rows returns which row each ordinal has: itself, or another one in no order.
func (r random) rows(stride uint32) func(ordinal uint32) uint32 {
	if r.IntN(3) == 0 {
		return nil
	}
	perm := r.Perm(60) // more ordinals than there are
	near := r.IntN(2) == 0
	return func(ordinal uint32) uint32 {
		at := ordinal / stride
		if near { // pairs change places
			return (at ^ 1) * stride
		}
		return uint32(perm[at]) * stride
	}
}

// columns gives columns to some shards of a corpus.
func (r random) columns(t *testing.T, c *corpus) {
	for _, f := range c.shards {
		if r.IntN(4) == 0 {
			continue
		}
		for block := range f.Live().Blocks() {
			if r.IntN(8) == 0 {
				continue
			}
			docs := f.Live().Block(block)
			if r.IntN(3) == 0 { // those that are not covered, or some
				docs = docs.AndNot(f.Columns().Covered().Block(block))
				var some []uint16
				docs.Each(func(low uint16) bool {
					if r.IntN(3) > 0 {
						some = append(some, low)
					}
					return true
				})
				docs = docset.ContainerOf(some)
			}
			if docs.Empty() {
				continue
			}
			b, err := memshard.BuildBlock(t.Context(), f, block, docs, columns.NewPieceCache(int64(r.IntN(2)*r.IntN(20_000))), r.IntN(8) == 0)
			if err != nil {
				t.Fatal(err)
			}
			f.SetColumns(f.Columns().With(b, docs, docs))
		}
	}
}

// change makes the next state of a corpus: some documents are added, replaced or removed, and
// the new state inherits the caches of the old one. Document 0 stays, so that the fields do.
func (r random) change(t *testing.T, settings *settings.Settings, docs map[uint32]string, splits []*corpus, stride uint32) (map[uint32]string, []*corpus) {
	next, changed := maps.Clone(docs), map[uint32]bool{}
	for range 1 + r.IntN(6) {
		ord := uint32(1+r.IntN(50)) * stride
		changed[ord] = true
		if r.IntN(3) == 0 {
			delete(next, ord)
		} else {
			next[ord] = r.document()
		}
	}
	var out []*corpus
	for _, old := range splits {
		c := newCorpusByRow(t, settings, next, len(old.shards), old.row)
		for i, f := range c.shards {
			var set docset.Builder
			for ord := range changed {
				switch {
				case int(ord)%len(c.shards) != i:
				case c.row != nil:
					set.Add(c.row(ord))
				default:
					set.Add(ord)
				}
			}
			gone := set.Set()
			f.Follow(old.shards[i], gone)
		}
		if r.IntN(4) == 0 {
			r.columns(t, c)
		}
		out = append(out, c)
	}
	return next, out
}

// rounds is the number of rounds of a random test; fewer with -short.
func rounds(all, soon int) int {
	if testing.Short() {
		return soon
	}
	return all
}
