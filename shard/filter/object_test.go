package filter

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/query/filter"
	"shoal/shard/memindex"
)

// byObject are rules that have some attributes indexed by objects.
func byObject(names ...string) []settings.FilterableRule {
	for _, name := range names {
		names = append(names, name+".*")
	}
	return []settings.FilterableRule{{Patterns: names, FacetSearch: true, Equality: true, Comparison: true, SameObject: true}}
}

var variants = map[uint32]string{
	1: `{"id":1,"v":[{"color":"Red","size":42},{"color":"blue","size":40}]}`,
	2: `{"id":2,"v":[{"color":"red","size":40},{"color":"blue","size":42}]}`,
	3: `{"id":3,"v":{"color":"red","size":"42","stock":[{"shop":"a","n":0},{"shop":"b","n":3}]}}`,
	4: `{"id":4,"v":[{"color":["red","green"],"size":null,"stock":{"shop":"a","n":3}},{"tags":[],"stock":[{"shop":"b","n":0}]},"red",7]}`,
	5: `{"id":5,"v":[[{"color":"green","dim":{"w":1,"h":2}}],[[{"color":"black","dim":{"w":2,"h":1}}]]]}`,
	6: `{"id":6,"v":[],"v.stock":[{"shop":"a","n":9}]}`,
	7: `{"id":7,"v":[{}]}`,
	8: `{"id":8,"v":null}`,
}

// objectCases are filters in braces and the variants that they select.
var objectCases = []struct {
	filter string
	want   []uint32
}{
	{"v.color = red AND v.size = 42", []uint32{1, 2, 3}},
	{"v.{color = red AND size = 42}", []uint32{1, 3}},
	{`"v".{"color" = " RED " AND "size" = 42.0}`, []uint32{1}},
	{"v.{color = red AND size != 42}", []uint32{2, 4}},
	{"v.{color = red AND NOT size = 42}", []uint32{2, 4}},
	{"NOT v.{color = red}", []uint32{5, 6, 7, 8}},
	{"v.{NOT color EXISTS}", []uint32{4, 7}},
	{"v.{color = red AND size IS NULL}", []uint32{4}},
	{"v.{color NOT EXISTS AND tags IS EMPTY}", []uint32{4}},
	{"v.{color = red AND color = green}", []uint32{4}},
	{"v.{color IN [red, blue] AND size > 40}", []uint32{1, 2, 3}},
	{"v.{color = blue AND size 41 TO 43}", []uint32{2}},
	{"v.{color CONTAINS lu AND size < 42}", []uint32{1}},
	{"v.{color STARTS WITH bl AND (size >= 42 OR dim.w = 2)}", []uint32{2, 5}},
	{"v.{stock.shop = a AND stock.n = 3}", []uint32{3, 4}},
	{"v.{stock.{shop = a AND n = 3}}", []uint32{4}},
	{"v.stock.{shop = a AND n = 3}", []uint32{4}},
	{"v.stock.{shop = a AND n = 9}", []uint32{6}},
	{"v.{stock.{shop = a AND n = 9}}", nil}, // it stands in no object of v
	{"v.{color = red AND stock.{shop = b AND n > 0}}", []uint32{3}},
	{"v.{color = red AND NOT stock.{shop = b AND n > 0}}", []uint32{1, 2, 4}},
	{"v.dim.{w = 1 AND h = 2}", []uint32{5}},
	{"v.{dim.w = 1 AND dim.h = 1}", nil},
	{"v.{dim.{h = 1} AND color = black}", []uint32{5}},
	{"v.{nothing != 1}", nil},
	{"v.{NOT nothing = 1} AND id < 4", []uint32{1, 2, 3}},
	{"v.{color = red AND size = 42} AND id > 1", []uint32{3}},
	{"id = 2 AND v.{color = red AND size < 41}", []uint32{2}},
	{"id IN [1, 2] AND NOT v.{color = red AND size < 41}", []uint32{1}},
	{"unseen.{a = 1}", nil},
	{"NOT unseen.{a = 1}", []uint32{1, 2, 3, 4, 5, 6, 7, 8}},
}

func TestConditionsInBracesHoldForOneObject(t *testing.T) {
	s := settings.Default()
	s.Filterable = append(byObject("v", "unseen"), memindex.Plain("id")...)
	ix := memindex.New(s, memindex.Fields(variants), variants)
	defer func() { objectLimit, recordLimit = 256, 1024 }()
	for _, c := range objectCases {
		for _, limit := range []int{0, 256} {
			objectLimit, recordLimit = limit, limit
			set, err := Evaluator(ix, apierr.CodeInvalidDocumentFilter)(t.Context(), jsonvalue.AppendString(nil, c.filter))
			if got := set.AppendTo(nil); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s: %v %v, want %v", c.filter, got, err, c.want)
			}
		}
	}
}

func TestErrorsInBracesDoNotDependOnDocuments(t *testing.T) {
	s := settings.Default()
	s.Filterable = []settings.FilterableRule{{Patterns: []string{"v", "v.*"}, Equality: true, SameObject: true}, {Patterns: []string{"id"}, Equality: true}}
	fields := memindex.Fields(variants)
	for _, docs := range []map[uint32]string{variants, {}, {8: variants[8]}} {
		ix := memindex.New(s, fields, docs)
		_, err := Evaluator(ix, apierr.CodeInvalidSearchFilter)(t.Context(), []byte(`"v.{color = none AND size > 1 AND size < 2}"`))
		if err == nil || !strings.HasPrefix(err.Error(), "Filter operator `>` is not allowed for the attribute `v.size`.") {
			t.Errorf("%d documents: %v", len(docs), err)
		}
	}
	// A condition that is not reached raises no error, as outside of braces.
	ix := memindex.New(s, fields, variants)
	if _, err := Evaluator(ix, apierr.CodeInvalidSearchFilter)(t.Context(), []byte(`"id = 77 AND v.{size > 1}"`)); err != nil {
		t.Error(err)
	}
}

// TestBracesAgainstTwin compares random filters on random documents with a direct
// evaluation of the objects of each document, on one shard and split over three.
func TestBracesAgainstTwin(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	defer func() { recordLimit, objectLimit = 1024, 256 }()
	found := 0
	for round := range 12 {
		docs := nestedDocuments(r, 1+r.IntN(30))
		s := settings.Default()
		s.Filterable = byObject("a", "b", "c")
		whole := memindex.New(s, memindex.Fields(docs), docs)
		parts := memindex.Split(s, docs, 3)
		for range 60 {
			text := nestedFilter(r, 2)
			f, fault := filter.ParseFilterText(text)
			if fault != nil {
				t.Fatalf("%s: %v", text, fault)
			}
			again, fault := filter.ParseFilterText(f.String())
			if fault != nil {
				t.Fatalf("%s became %s: %v", text, f, fault)
			}
			recordLimit, objectLimit = []int{0, 3, 1024}[r.IntN(3)], []int{0, 3, 256}[r.IntN(3)]
			want := slow(docs, f.Root)
			found += len(want)
			set, err := Evaluate(t.Context(), whole, again, apierr.CodeInvalidSearchFilter)
			if err != nil || !slices.Equal(set.AppendTo(nil), want) {
				t.Fatalf("round %d: %s: got %v %v, want %v\n%v", round, text, set.AppendTo(nil), err, want, docs)
			}
			var union []uint32
			for _, p := range parts {
				set, err := Evaluate(t.Context(), p, f, apierr.CodeInvalidSearchFilter)
				if err != nil {
					t.Fatal(err)
				}
				union = set.AppendTo(union)
			}
			slices.Sort(union)
			if !slices.Equal(union, want) {
				t.Fatalf("%s: shards give %v, want %v", text, union, want)
			}
		}
	}
	if found < 1000 {
		t.Errorf("the filters found %d documents, which tests little", found)
	}
}

var members = []string{"x", "y", "z", "y.z"}

// nestedDocuments are documents of objects in arrays in objects.
func nestedDocuments(r *rand.Rand, n int) map[uint32]string {
	var value func(depth int) string
	value = func(depth int) string {
		switch k := r.IntN(10); {
		case depth > 0 && k < 4:
			var list []string
			for _, name := range members {
				if r.IntN(2) == 0 {
					list = append(list, fmt.Sprintf("%q:%s", name, value(depth-1)))
				}
			}
			return "{" + strings.Join(list, ",") + "}"
		case depth > 0 && k < 8:
			var list []string
			for range r.IntN(4) {
				list = append(list, value(depth-1))
			}
			return "[" + strings.Join(list, ",") + "]"
		case k == 8:
			return []string{"null", "[]", "{}", `""`}[r.IntN(4)]
		case k%2 == 0:
			return string(jsonvalue.AppendString(nil, words[r.IntN(len(words))]))
		}
		return strconv.Itoa(r.IntN(3))
	}
	docs := map[uint32]string{}
	for len(docs) < n {
		var list []string
		for _, name := range []string{"a", "b", "c", "a.x", "a.y.z"} {
			if r.IntN(3) > 0 {
				list = append(list, fmt.Sprintf("%q:%s", name, value(4)))
			}
		}
		docs[r.Uint32N(200)] = "{" + strings.Join(list, ",") + "}"
	}
	return docs
}

func nestedFilter(r *rand.Rand, depth int) string {
	path := func(names []string) string {
		name := names[r.IntN(len(names))]
		for r.IntN(3) == 0 {
			name += "." + members[r.IntN(3)]
		}
		return name
	}
	var inside func(depth int) string
	inside = func(depth int) string {
		switch k := r.IntN(8); {
		case depth > 0 && k < 2:
			return inside(depth-1) + " AND " + inside(depth-1)
		case depth > 0 && k == 2:
			return "(" + inside(depth-1) + " OR " + inside(depth-1) + ")"
		case depth > 0 && k == 3:
			return "NOT (" + inside(depth-1) + ")"
		case depth > 0 && k == 4:
			return path(members) + ".{" + inside(depth-1) + "}"
		}
		value := []string{"0", "1", "2", "x", "xy", "y", "'Éa'", "true"}[r.IntN(8)]
		state := []string{" EXISTS", " IS NULL", " IS EMPTY", " IS NOT EMPTY"}[r.IntN(4)]
		op := []string{" = ", " = ", " != ", " < ", " >= ", " CONTAINS ", " STARTS WITH ", " 0 TO "}[r.IntN(8)]
		switch r.IntN(5) {
		case 0:
			return path(members) + state
		case 1:
			return path(members) + " IN [" + value + ", 1]"
		}
		return path(members) + op + value
	}
	text := path([]string{"a", "b", "c"}) + ".{" + inside(3) + "}"
	switch r.IntN(6) {
	case 0:
		text = "NOT " + text
	case 1:
		text = "a.x EXISTS AND " + text
	case 2:
		if depth > 0 {
			text += " OR " + nestedFilter(r, depth-1)
		}
	}
	return text
}

// objectsAt lists the objects that stand at a path of a document, or of an object in it.
func objectsAt(doc *jsonvalue.Value, prefix, path string) (list []*jsonvalue.Value) {
	var visit func(v *jsonvalue.Value, name string)
	visit = func(v *jsonvalue.Value, name string) {
		if v.Kind() == jsonvalue.KindObject && name == path {
			list = append(list, v)
		}
		for i := range v.Members() {
			if m := &v.Members()[i]; v.Kind() == jsonvalue.KindObject {
				visit(&m.Value, name+"."+m.Name)
			} else {
				visit(&m.Value, name)
			}
		}
	}
	for i := range doc.Members() {
		m := &doc.Members()[i]
		visit(&m.Value, prefix+m.Name)
	}
	return list
}
