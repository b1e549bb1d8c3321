package facets

import (
	"slices"
	"testing"

	"shoal/api"
	"shoal/api/apierr"
	"shoal/wire"
)

func show(list []api.FacetValue) string {
	s := ""
	for _, v := range list {
		s += v.Value + ":" + apierr.DisplayFloat(float64(v.Count)) + " "
	}
	return s
}

func TestLimitIsTestedForEquality(t *testing.T) {
	part := wire.FacetPart{}
	for i := range 15 {
		part.Numbers = append(part.Numbers, wire.FacetNumber{Value: float64(i), Count: 1})
	}
	for _, s := range []string{"a", "b", "c", "d"} {
		part.Strings = append(part.Strings, wire.FacetString{Form: s, Label: s, Labelled: true, Count: 1})
	}
	for order, want := range map[wire.FacetOrder]int{wire.FacetText: 10, wire.FacetValue: 14, wire.FacetCount: 14} {
		if got := Merge([]wire.FacetPart{part}, order, 10).Values(); len(got) != want {
			t.Errorf("order %d: %d values, want %d", order, len(got), want)
		}
	}
	if got := show(Merge([]wire.FacetPart{part}, wire.FacetText, 4).Values()); got != "0:1 1:1 10:1 11:1 " {
		t.Error(got)
	}
}

// A shard without numbers does not know that those of others reach the limit, behind which strings
// are not limited.
func TestPartsThatLackStringsBehindNumbersAreFound(t *testing.T) {
	numbers := func(list ...float64) (p wire.FacetPart) {
		p.HasNumbers = len(list) > 0
		for _, v := range list {
			p.Numbers = append(p.Numbers, wire.FacetNumber{Value: v, Count: 1})
		}
		return p
	}
	texts := func(list ...string) (p wire.FacetPart) {
		for _, form := range list {
			p.Strings = append(p.Strings, wire.FacetString{Form: form, Count: 1})
		}
		return p
	}
	for _, c := range []struct {
		name  string
		order wire.FacetOrder
		limit int
		parts []wire.FacetPart
		want  []int
	}{
		{"numbers of two parts reach the limit", wire.FacetValue, 2, []wire.FacetPart{texts("a", "b"), numbers(1), texts("a"), numbers(2), texts("b", "c")}, []int{0, 4}},
		{"the same number", wire.FacetValue, 2, []wire.FacetPart{texts("a", "b"), numbers(1), numbers(1)}, nil},
		{"no numbers", wire.FacetValue, 2, []wire.FacetPart{texts("a", "b"), texts("b", "c")}, nil},
		{"all strings", wire.FacetValue, 3, []wire.FacetPart{texts("a", "b"), numbers(1, 2, 3)}, nil},
		{"no limit", wire.FacetValue, 0, []wire.FacetPart{{}, numbers(1)}, nil},
		{"by text", wire.FacetText, 1, []wire.FacetPart{texts("a"), numbers(1)}, nil},
		{"by count", wire.FacetCount, 1, []wire.FacetPart{texts("a"), numbers(1)}, nil},
	} {
		if got := Cut(c.parts, c.order, c.limit); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestStringOverwritesNumber(t *testing.T) {
	part := wire.FacetPart{
		Numbers: []wire.FacetNumber{{Value: 10, Count: 3}, {Value: 2, Count: 1}},
		Strings: []wire.FacetString{{Form: "10", Label: "10", Labelled: true, Count: 2}, {Form: "x", Label: "X", Labelled: true, Count: 1}},
	}
	if got := show(Merge([]wire.FacetPart{part}, wire.FacetText, 100).Values()); got != "10:2 2:1 X:1 " {
		t.Error(got)
	}
	if got := show(Merge([]wire.FacetPart{part}, wire.FacetValue, 3).Values()); got != "2:1 10:2 X:1 " {
		t.Error(got)
	}
}

func TestLabelOfTheLowestDocument(t *testing.T) {
	d := Merge([]wire.FacetPart{
		{Strings: []wire.FacetString{{Form: "red", Count: 2, Labelled: true, First: 7, Label: "Red"}}},
		{Strings: []wire.FacetString{{Form: "red", Count: 1}}},
		{Strings: []wire.FacetString{{Form: "red", Count: 1, Labelled: true, First: 9, Label: "reD"}}},
	}, wire.FacetCount, 100)
	missing := d.Missing()
	if len(missing) != 1 || len(missing[1]) != 1 {
		t.Fatal(missing)
	}
	d.Label("red", wire.FacetLabel{Found: true, First: 3, Text: "RED"})
	if got := show(d.Values()); got != "RED:4 " {
		t.Error(got)
	}
}

func TestSearchHeap(t *testing.T) {
	reply := &wire.FacetSearchReply{}
	for _, v := range []struct {
		form  string
		count uint64
	}{{"a", 2}, {"b", 1}, {"c", 2}, {"d", 2}, {"e", 5}} {
		reply.Values = append(reply.Values, wire.FacetFound{Search: v.form, Form: v.form, Count: v.count})
	}
	f := MergeSearch([]*wire.FacetSearchReply{reply, {}}, true, 3)
	if got := show(f.Values()); got != "e:5 d:2 c:2 " {
		t.Error(got)
	}
	f = MergeSearch([]*wire.FacetSearchReply{reply}, false, 3)
	f.Label(1, wire.FacetLabel{Found: true, First: 5, Text: "B"})
	f.Label(1, wire.FacetLabel{Found: true, First: 4, Text: "bB"})
	if got := show(f.Values()); got != "a:2 bB:1 c:2 " {
		t.Error(got)
	}
}
