package facet

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"shoal/api/settings"
	"shoal/shard/docset"
	"shoal/shard/memindex"
	"shoal/wire"
)

// visited is an index that counts the values that are read.
type visited struct {
	Index
	values int
}

func (x *visited) Numbers(fid uint16, desc bool, f func(float64, docset.Set) bool) error {
	return x.Index.Numbers(fid, desc, func(v float64, docs docset.Set) bool {
		x.values++
		return f(v, docs)
	})
}

func (x *visited) Strings(fid uint16, desc bool, f func(string, docset.Set) bool) error {
	return x.Index.Strings(fid, desc, func(form string, docs docset.Set) bool {
		x.values++
		return f(form, docs)
	})
}

// A facet with a value for each document read all values of all documents.
func TestTheFirstValuesOfAFacetAreCountedWithoutTheOthers(t *testing.T) {
	everyAsk(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	docs := map[uint32]string{}
	for i := range uint32(3000) {
		docs[i] = fmt.Sprintf(`{"n":[%d,%d],"t":"Text %d","mixed":[%d,"a%d"],"few":%d,"late":%d}`, r.IntN(3000), i, i/2, i, i, i%5, max(0, int(i)-2500))
	}
	s := settings.Default()
	s.Filterable = memindex.Plain("n", "t", "mixed", "few", "late")
	ix := memindex.New(s, memindex.Fields(docs), docs)
	for range 20 {
		var candidates docset.Set
		for i := range uint32(3000) {
			if r.IntN(3) > 0 {
				candidates = candidates.Or(docset.Of(i))
			}
		}
		step := &wire.FacetsStep{Max: []int{0, 5, 20, 100}[r.IntN(4)]}
		count := func(name string, order wire.FacetOrder, budget int) (wire.FacetPart, int) {
			fid, _ := ix.FieldID(name)
			step.Fields = []wire.FacetAsk{{Field: fid, Order: order}}
			defer func(before, visits int) { firstBudget, firstVisits = before, visits }(firstBudget, firstVisits)
			firstBudget, firstVisits = budget, 0
			seen := &visited{Index: ix}
			reply, err := Count(t.Context(), seen, new(Columns), candidates, step)
			if err != nil {
				t.Fatal(err)
			}
			return reply.Facets[0], seen.values
		}
		for _, name := range []string{"n", "t", "mixed", "few", "late"} {
			for _, order := range []wire.FacetOrder{wire.FacetText, wire.FacetValue, wire.FacetCount} {
				got, read := count(name, order, 8)
				if want, _ := count(name, order, 0); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%s, order %d, limit %d:\n got %v\nwant %v", name, order, step.Max, got, want)
				}
				if early := name == "n" || name == "t"; early && order == wire.FacetValue && step.Max > 0 && read > 8*step.Max+1 {
					t.Errorf("%s, limit %d: %d values were read", name, step.Max, read)
				}
			}
		}
	}
}

// The walk was tried on each search, as far as without a column, and however few documents the
// column has to count.
func TestTheWalkOfFirstValuesEndsSoonIfAColumnIsKept(t *testing.T) {
	defer func(before int) { firstVisits = before }(firstVisits)
	docs := map[uint32]string{}
	for i := range uint32(2000) {
		docs[i] = fmt.Sprintf(`{"n":%d,"t":"text %04d"}`, i, i)
	}
	s := settings.Default()
	s.Filterable = memindex.Plain("n", "t")
	ix := memindex.New(s, memindex.Fields(docs), docs)
	for _, name := range []string{"n", "t"} {
		fid, _ := ix.FieldID(name)
		step := &wire.FacetsStep{Max: 20, Fields: []wire.FacetAsk{{Field: fid, Order: wire.FacetValue}}}
		columns, seen := new(Columns), &visited{Index: ix}
		for ask := range ColumnAsks + 2 {
			seen.values, firstVisits = 0, 0
			if ask == ColumnAsks {
				firstVisits = 1001
			}
			reply, err := Count(t.Context(), seen, columns, docset.Range(1000, 2000), step)
			if err != nil || len(reply.Facets[0].Numbers)+len(reply.Facets[0].Strings) != 20 {
				t.Fatal(reply, err)
			}
			if most := 20 + 1; ask > ColumnAsks && seen.values > most || ask == ColumnAsks && seen.values > 0 {
				t.Errorf("%s, ask %d: %d values were read", name, ask, seen.values)
			}
		}
	}
}
