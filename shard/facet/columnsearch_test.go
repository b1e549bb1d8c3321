package facet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/shard/memindex"
	"shoal/wire"
)

// everyAsk makes columns at the first use, for the duration of a test.
func everyAsk(t *testing.T) {
	asks, least := ColumnAsks, ColumnLeast
	ColumnAsks, ColumnLeast = 1, 1
	t.Cleanup(func() { ColumnAsks, ColumnLeast = asks, least })
}

func TestFacetSearchesAnswerAlikeWithAndWithoutColumns(t *testing.T) {
	everyAsk(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	words := []string{"Red", "RED", "red", "reed", "Rêd", "rose", "Éclair", "eclair", "écla", "10", "1", "z", "ＺＺ", "  Zz", "green apple", "東京", "tokyo"}
	for range 150 {
		docs := map[uint32]string{}
		for range 1 + r.IntN(150) {
			value := jsonvalue.AppendString(nil, words[r.IntN(len(words))]+[]string{"", "", " a", "e"}[r.IntN(4)])
			docs[r.Uint32N(4000)] = fmt.Sprintf(`{"c":[%s,%d]}`, value, r.IntN(5))
		}
		own, order := ordered(r, docs)
		s := settings.Default()
		s.Filterable = memindex.Plain("c")
		ix := memindex.New(s, memindex.Fields(docs), own)
		ix.SetOrder(order)
		var some []uint32
		for ord := range docs {
			if r.IntN(3) > 0 {
				some = append(some, ord)
			}
		}
		slices.Sort(some)
		candidates := order.Set(some)
		fid, _ := ix.FieldID("c")
		var kept Columns
		kept.Bound(1 + r.IntN(20_000)) // of nothing, some, all
		for range 20 {
			step := &wire.FacetSearchStep{
				Field: fid, Match: wire.FacetMatch(r.IntN(3)), Query: []string{"", "r", "red", "reb", "eclair", "aclair", "zz", "1", "東"}[r.IntN(9)],
				Typos: r.IntN(3), ByCount: r.IntN(2) == 0, Max: r.IntN(12), Locales: [][]string{nil, {"jpn"}, {"swe", "eng"}}[r.IntN(3)],
			}
			want, err := Search(t.Context(), ix, nil, candidates, step)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Search(t.Context(), ix, &kept, candidates, step)
			if err != nil || !slices.Equal(got.Values, want.Values) {
				t.Fatalf("%+v: %v %v, want %v", step, got, err, want)
			}
			ask := &wire.FacetLabelsStep{Field: fid, Whole: r.IntN(3) > 0, Forms: []string{"none"}}
			for _, v := range got.Values {
				ask.Forms = append(ask.Forms, v.Form)
			}
			labels, err := Labels(t.Context(), ix, nil, candidates, ask)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := Labels(t.Context(), ix, &kept, candidates, ask); err != nil || !slices.Equal(got.Labels, labels.Labels) {
				t.Fatalf("%+v: %v %v, want %v", ask, got, err, labels)
			}
		}
		if kept.Bytes() > kept.max {
			t.Fatalf("%d bytes, at most %d", kept.Bytes(), kept.max)
		}
	}
}

func TestFormsAreFoundInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 100 {
		var forms []string
		for n := range 200 {
			if r.IntN(3) == 0 {
				forms = append(forms, fmt.Sprintf("%03d", n))
			}
		}
		f := finder{forms: forms}
		for at := 0; at < 250; at += r.IntN(20) - 4 {
			form := fmt.Sprintf("%03d", at)
			want, known := slices.BinarySearch(forms, form)
			if number, ok := f.find(form); ok != known || ok && number != want {
				t.Fatalf("%s in %v: %d %v, want %d %v", form, forms, number, ok, want, known)
			}
		}
	}
}
