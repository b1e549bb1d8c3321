package facet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/shard/docset"
	"shoal/shard/memindex"
	"shoal/shard/rows"
	"shoal/text"
	"shoal/wire"
)

var spellings = []string{"Red", "RED", "red", "Blue", "blue", "Éclair", "10", "z", "zz", "green apple"}

func randomDocuments(r *rand.Rand, n int) map[uint32]string {
	docs := map[uint32]string{}
	for len(docs) < n {
		var items []string
		for range r.IntN(4) {
			if r.IntN(2) == 0 {
				items = append(items, fmt.Sprint(r.IntN(30)-3))
			} else {
				items = append(items, string(jsonvalue.AppendString(nil, spellings[r.IntN(len(spellings))])))
			}
		}
		docs[r.Uint32N(4000)] = `{"c":[` + strings.Join(items, ",") + `],"d":` + fmt.Sprint(r.IntN(3)) + `}`
	}
	return docs
}

// counted is the simple model of Count: document by document.
func counted(docs map[uint32]string, candidates docset.Set) (numbers map[float64]uint64, strings map[string]*wire.FacetString) {
	numbers, strings = map[float64]uint64{}, map[string]*wire.FacetString{}
	for ord := range candidates.All() {
		v, err := jsonvalue.Parse([]byte(docs[ord]))
		if err != nil {
			panic(err)
		}
		seenN, seenS := map[float64]bool{}, map[string]string{}
		for i := range v.Get("c").Members() {
			if e := &v.Get("c").Members()[i].Value; e.Kind() == jsonvalue.KindString {
				seenS[text.FacetForm(e.String())] = e.String()
			} else {
				seenN[e.Float()] = true
			}
		}
		for n := range seenN {
			numbers[n]++
		}
		for form, original := range seenS {
			if strings[form] == nil {
				strings[form] = &wire.FacetString{Form: form, Labelled: true, First: ord, Label: original}
			}
			strings[form].Count++
		}
	}
	return numbers, strings
}

// ordered returns documents by row: by ordinal, in no order, or as those of two shards,
// whose rows ascend.
func ordered(r *rand.Rand, docs map[uint32]string) (map[uint32]string, *rows.Order) {
	switch r.IntN(3) {
	case 0:
		return docs, nil
	case 1:
		perm := r.Perm(4000)
		return memindex.ByRow(docs, []uint32{0}, func(ordinal uint32) uint32 { return uint32(perm[ordinal]) })
	}
	return memindex.ByRow(docs, []uint32{0, 1 << 16}, func(ordinal uint32) uint32 { return ordinal&1<<16 + ordinal>>1 })
}

func TestCountAgainstTwin(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	defer func() { recordLimit, ColumnLeast, shortIDs, maxLists = 4096, 512, 1<<16, 1<<18 }()
	ColumnLeast = 1
	for range 120 {
		shortIDs, maxLists = []int{1, 1 << 16}[r.IntN(2)], []int{0, 9, 1 << 18, 1 << 18}[r.IntN(4)]
		docs := randomDocuments(r, 1+r.IntN(200))
		if r.IntN(3) == 0 { // no document has two values
			for ord := range docs {
				docs[ord] = []string{`{"c":["x"]}`, `{"c":["Y"]}`, `{"c":[4]}`, `{"c":[]}`}[r.IntN(4)]
			}
		}
		s := settings.Default()
		s.Filterable = memindex.Plain("c", "d")
		own, order := ordered(r, docs)
		ix := memindex.New(s, memindex.Fields(docs), own)
		ix.SetOrder(order)
		var some []uint32
		for ord := range docs {
			if r.IntN(3) > 0 {
				some = append(some, ord)
			}
		}
		slices.Sort(some)
		candidates := docset.FromSorted(some)
		numbers, strs := counted(docs, candidates)
		candidates = order.Set(some)
		var kept *Columns
		if r.IntN(3) > 0 {
			kept = &Columns{}
		}
		fid, ok := ix.FieldID("c")
		if !ok {
			continue
		}
		for _, order := range []wire.FacetOrder{wire.FacetText, wire.FacetValue, wire.FacetCount} {
			recordLimit = []int{0, 4096}[r.IntN(2)]
			reply, err := Count(t.Context(), ix, kept, candidates, &wire.FacetsStep{Fields: []wire.FacetAsk{{Field: fid, Order: order}}, Max: 1000})
			if err != nil {
				t.Fatal(err)
			}
			p := reply.Facets[0]
			if len(p.Numbers) != len(numbers) || len(p.Strings) != len(strs) || p.HasNumbers != (len(numbers) > 0) {
				t.Fatalf("order %d: got %v, want %v %v", order, p, numbers, strs)
			}
			for _, n := range p.Numbers {
				if numbers[n.Value] != n.Count || n.Value < p.Min || n.Value > p.Max {
					t.Fatalf("%v: want %v", n, numbers)
				}
			}
			for _, s := range p.Strings {
				if want := strs[s.Form]; want == nil || s != *want {
					t.Fatalf("%v: want %v", s, want)
				}
			}
		}
	}
}

func TestPartsAreCutSafely(t *testing.T) {
	docs := randomDocuments(rand.New(rand.NewPCG(7, 7)), 300)
	s := settings.Default()
	ix := memindex.New(s, memindex.Fields(docs), docs)
	fid, _ := ix.FieldID("c")
	var kept Columns
	defer func() { recordLimit, ColumnLeast = 4096, 512 }()
	ColumnLeast = 1
	for _, limit := range []int{0, 0, 4096, 4096} {
		recordLimit = limit
		reply, err := Count(t.Context(), ix, &kept, ix.Live(), &wire.FacetsStep{Fields: []wire.FacetAsk{{Field: fid, Order: wire.FacetText}}, Max: 3})
		if err != nil {
			t.Fatal(err)
		}
		p := reply.Facets[0]
		if len(p.Numbers) != 3 || apierr.DisplayFloat(p.Numbers[0].Value) != "-1" || p.Numbers[2].Value != -3 || len(p.Strings) != 3 || p.Max != 26 {
			t.Errorf("limit %d: %v", limit, p)
		}
	}
}

func TestSearch(t *testing.T) {
	docs := map[uint32]string{
		1: `{"c":"Éclair"}`, 2: `{"c":"eclair au chocolat"}`, 3: `{"c":["ECLAIR","tarte"]}`, 4: `{"c":12}`, 5: `{"c":"éclair"}`, 6: `{"c":"Tarte aux fraises"}`,
	}
	ix := memindex.New(settings.Default(), memindex.Fields(docs), docs)
	fid, _ := ix.FieldID("c")
	search := func(step wire.FacetSearchStep, candidates docset.Set) string {
		step.Field = fid
		reply, err := Search(t.Context(), ix, nil, candidates, &step)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, v := range reply.Values {
			out = append(out, fmt.Sprintf("%s:%d", v.Form, v.Count))
		}
		return strings.Join(out, " ")
	}
	all := ix.Live()
	for _, c := range []struct {
		step wire.FacetSearchStep
		docs docset.Set
		want string
	}{
		{wire.FacetSearchStep{Match: wire.FacetAny, Max: 10}, all, "eclair:1 eclair au chocolat:1 e\u0301clair:2 tarte:1 tarte aux fraises:1"},
		{wire.FacetSearchStep{Match: wire.FacetAny, Max: 2}, all, "eclair:1 eclair au chocolat:1"},
		{wire.FacetSearchStep{Match: wire.FacetAny, Max: 10}, docset.Of(1, 6), "e\u0301clair:1 tarte aux fraises:1"},
		{wire.FacetSearchStep{Match: wire.FacetPrefix, Query: "ecl", Max: 10}, all, "eclair:1 e\u0301clair:2 eclair au chocolat:1"},
		{wire.FacetSearchStep{Match: wire.FacetPrefix, Query: "ecl", Max: 2}, all, "eclair:1 e\u0301clair:2"},
		{wire.FacetSearchStep{Match: wire.FacetPrefix, Query: "aclair", Typos: 1, Max: 10}, all, "eclair:1 e\u0301clair:2 eclair au chocolat:1"},
		{wire.FacetSearchStep{Match: wire.FacetWhole, Query: "eclair", Max: 10}, all, "eclair:1 e\u0301clair:2"},
		{wire.FacetSearchStep{Match: wire.FacetPrefix, Query: "", Max: 10}, docset.Of(2), "eclair au chocolat:1"},
	} {
		if got := search(c.step, c.docs); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.step, got, c.want)
		}
	}
	labels, err := Labels(t.Context(), ix, nil, docset.Of(5), &wire.FacetLabelsStep{Field: fid, Forms: []string{"e\u0301clair", "none"}, Whole: true})
	if err != nil || labels.Labels[0].Text != "Éclair" || labels.Labels[0].First != 1 || labels.Labels[1].Found {
		t.Errorf("%v %v", labels, err)
	}
	if labels, err = Labels(t.Context(), ix, nil, docset.Of(5), &wire.FacetLabelsStep{Field: fid, Forms: []string{"e\u0301clair"}}); err != nil || labels.Labels[0].Text != "éclair" {
		t.Errorf("%v %v", labels, err)
	}
}

// BenchmarkColumns builds the column of a facet with up to four values per document and
// counts it.
func BenchmarkColumns(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 3))
	docs := map[uint32]string{}
	for ord := range uint32(100_000) {
		var items []string
		for range r.IntN(5) {
			items = append(items, fmt.Sprintf("%q", fmt.Sprint("v", int(40*r.Float64()*r.Float64()))))
		}
		docs[ord] = `{"c":[` + strings.Join(items, ",") + `]}`
	}
	s := settings.Default()
	s.Filterable = memindex.Plain("c")
	ix := memindex.New(s, memindex.Fields(docs), docs)
	fid, _ := ix.FieldID("c")
	for _, way := range []struct {
		name  string
		lists int
	}{{"lists", 1 << 18}, {"documents", 0}} {
		maxLists = way.lists
		b.Run(way.name+"/make", func(b *testing.B) {
			for b.Loop() {
				if c, err := makeColumn(ix, fid, 1<<30); err != nil || c == nil {
					b.Fatal(c, err)
				}
			}
		})
		c, err := makeColumn(ix, fid, 1<<30)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(way.name+"/count", func(b *testing.B) {
			b.ReportMetric(float64(c.bytes()), "bytes")
			for b.Loop() {
				c.tally(ix.Live())
			}
		})
	}
	maxLists = 1 << 18
}
