package filter

import (
	"errors"
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
	"shoal/text"
)

var documents = map[uint32]string{
	1:  `{"id":1,"t":"Gläss","n":10,"tags":["Red","blue"],"o":{"a":1,"b":[{"c":"x"},{"c":"y"}]}}`,
	2:  `{"id":2,"t":"glass","n":"10","tags":[],"o":{},"_geo":{"lat":48.85,"lng":2.35}}`,
	3:  `{"id":3,"t":"","n":[2.5,100],"tags":null,"_geo":{"lat":45,"lng":3}}`,
	4:  `{"id":4,"t":true,"n":-3,"tags":"RED","o.a":7,"_geo":{"lat":0,"lng":179.5}}`,
	5:  `{"id":5,"n":null,"tags":["green",null,""],"_geo":{"lat":0,"lng":-179.5}}`,
	6:  `{"id":6,"t":["ﬁne","NaN"],"n":1e3,"_geojson":{"type":"Point","coordinates":[3,45]}}`,
	70: `{"id":70,"t":"zebra","n":0,"_geojson":{"type":"Polygon","coordinates":[[[0,0],[10,0],[10,10],[0,10],[0,0]],[[4,4],[6,4],[6,6],[4,6],[4,4]]]}}`,
}

func indexSettings() *settings.Settings {
	s := settings.Default()
	s.Filterable = memindex.Plain("t", "n", "tags", "o", "_geo", "_geojson", "unseen")
	return s
}

func TestConditions(t *testing.T) {
	ix := memindex.New(indexSettings(), memindex.Fields(documents), documents)
	for _, c := range []struct {
		filter string
		want   []uint32
	}{
		{"t = glass", []uint32{2}},
		{"t = ' GLÄSS '", []uint32{1}},
		{"t = fine", []uint32{6}},
		{"t = true", []uint32{4}},
		{"t = NaN", []uint32{6}},
		{"t = ''", nil},
		{"n = 10", []uint32{1, 2}},
		{"n = 1e1", []uint32{1}},
		{"n = 1000", []uint32{6}},
		{"n = -0", nil},
		{"n != 10", []uint32{3, 4, 5, 6, 70}},
		{"NOT n = 10", []uint32{3, 4, 5, 6, 70}},
		{"unseen != 1", nil},
		{"NOT unseen = 1", []uint32{1, 2, 3, 4, 5, 6, 70}},
		{"unseen NOT IN [1]", []uint32{1, 2, 3, 4, 5, 6, 70}},
		{"n IN []", nil},
		{"n NOT IN []", []uint32{1, 2, 3, 4, 5, 6, 70}},
		{"n IN [10, 100]", []uint32{1, 2, 3}},
		{"n > 10", []uint32{3, 6}},
		{"n >= 10", []uint32{1, 2, 3, 6}},
		{"n < 0", []uint32{4}},
		{"n <= 0", []uint32{4, 70}},
		{"n 2 TO 10", []uint32{1, 3}},
		{"n 10 TO 2", []uint32{2}},
		{"t > glass", []uint32{1, 4, 6, 70}},
		{"t STARTS WITH GL", []uint32{1, 2}},
		{"t NOT STARTS WITH gl", []uint32{3, 4, 5, 6, 70}},
		{"n STARTS WITH 1", []uint32{2}},
		{"t STARTS WITH ''", []uint32{1, 2, 3, 4, 6, 70}},
		{"t CONTAINS 'LA'", []uint32{1, 2}},
		{"t CONTAINS ''", []uint32{1, 2, 4, 6, 70}},
		{"tags EXISTS", []uint32{1, 2, 3, 4, 5}},
		{"tags IS NULL", []uint32{3}},
		{"tags IS EMPTY", []uint32{2}},
		{"t IS EMPTY", []uint32{3}},
		{"n IS NOT NULL", []uint32{1, 2, 3, 4, 6, 70}},
		{"tags = red", []uint32{1, 4}},
		{"o EXISTS", []uint32{1, 2}},
		{"o.a = 1 OR o.a = 7", []uint32{1, 4}},
		{"o.b.c = y", []uint32{1}},
		{"tags = red AND n < 0", []uint32{4}},
		{"(t = glass OR t = zebra) AND NOT n = 10", []uint32{70}},
		{"_geoRadius(48.85, 2.35, 1)", []uint32{2}},
		{"_geoRadius(48.85, 2.35, 431000)", []uint32{2, 3, 6}},
		{"_geoRadius(0, 180, 60000)", []uint32{4, 5}},
		{"_geoRadius(90, 0, 5100000)", []uint32{2, 3}},
		{"_geoBoundingBox([49, 4], [44, 2])", []uint32{2, 3, 6}},
		{"_geoBoundingBox([1, -179], [-1, 179])", []uint32{4, 5}},
		{"_geoBoundingBox([0, -179.5], [0, 179.5])", []uint32{4, 5}},
		{"_geoBoundingBox([1, -179], [-0, 179])", nil}, // -0 is above 0
		{"_geoPolygon([44, 2], [44, 4], [46, 4], [46, 2])", []uint32{6}},
		{"_geoPolygon([4.5, 4.5], [4.5, 5.5], [5.5, 5.5])", nil},
		{"_geoPolygon([1, 1], [1, 2], [2, 2])", []uint32{70}},
		{"_geoPolygon([3, 3], [3, 5], [5, 5])", []uint32{70}},
		{"_geoPolygon([-1, -1], [-1, 11], [11, 11], [11, -1])", []uint32{70}},
		{"_vectors EXISTS", nil},
	} {
		for _, limit := range []int{0, 1024} {
			recordLimit = limit
			raw := jsonvalue.AppendString(nil, c.filter)
			set, err := Evaluator(ix, apierr.CodeInvalidDocumentFilter)(t.Context(), raw)
			if err != nil {
				t.Errorf("%s: %v", c.filter, err)
				continue
			}
			if got := set.AppendTo(nil); !slices.Equal(got, c.want) {
				t.Errorf("%s: got %v, want %v", c.filter, got, c.want)
			}
		}
	}
	recordLimit = 1024
}

func TestEvaluationErrors(t *testing.T) {
	s := indexSettings()
	s.Filterable = append(memindex.Plain("t"), settings.FilterableRule{Patterns: []string{"n"}, Equality: true})
	ix := memindex.New(s, memindex.Fields(documents), documents)
	for _, c := range []struct{ filter, starts string }{
		{"zz = 1", "Attribute `zz` is not filterable."},
		{"n > 1", "Filter operator `>` is not allowed"},
		{"t = nothing AND n > 1", ""}, // never reached
		{"t = glass AND n > 1", "Filter operator `>` is not allowed"},
		{"t = glass OR n > 1", "Filter operator `>` is not allowed"},
		{"t = nothing AND zz = 1", "Attribute `zz` is not filterable."},
		{"_geoRadius(100, 2, 3)", "Bad latitude `100`."},
		{"_geoRadius(1, 2, 3)", "Attribute `_geo/_geojson` is not filterable."},
		{"_geoPolygon([100, 2], [1, 2], [3, 4])", "Attribute `_geojson` is not filterable."},
		{"_vectors.e EXISTS", "The embedder `e` does not exist. This index does not have any configured embedders."},
		{"_shard = x", "Shard `x` does not exist"},
		{"_shard > x", "Filter operator `> is not allowed for the special attribute `_shard`."},
		{"_foreign(t, id = 1)", "Filter condition `_foreign` is not supported"},
	} {
		_, err := Evaluator(ix, apierr.CodeInvalidSimilarFilter)(t.Context(), jsonvalue.AppendString(nil, c.filter))
		switch {
		case c.starts == "" && err != nil, c.starts != "" && (err == nil || !strings.HasPrefix(err.Error(), c.starts)):
			t.Errorf("%s: %v", c.filter, err)
		}
		code := apierr.CodeInvalidSimilarFilter
		if strings.HasPrefix(c.starts, "Filter operator") || strings.HasPrefix(c.starts, "Shard") {
			code = apierr.CodeInvalidSearchFilter // on all routes
		}
		var client *apierr.Error
		if errors.As(err, &client) && client.Code != code {
			t.Errorf("%s: code %s", c.filter, client.Code.Name)
		}
	}
}

// TestAgainstTwin compares random filters on random documents with a direct
// evaluation of each document, on one shard and split over three.
func TestAgainstTwin(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	defer func() { recordLimit = 1024 }()
	for round := range 30 {
		docs := randomDocuments(r, 1+r.IntN(60))
		s := settings.Default()
		s.Filterable = memindex.Plain("a", "b", "c")
		whole := memindex.New(s, memindex.Fields(docs), docs)
		parts := memindex.Split(s, docs, 3)
		for range 40 {
			parsed := randomFilter(r, 3)
			f, fault := filter.ParseFilterText(parsed)
			if fault != nil {
				t.Fatalf("%s: %v", parsed, fault)
			}
			recordLimit = []int{0, 3, 1024}[r.IntN(3)]
			want := slow(docs, f.Root)
			set, err := Evaluate(t.Context(), whole, f, apierr.CodeInvalidSearchFilter)
			if err != nil || !slices.Equal(set.AppendTo(nil), want) {
				t.Fatalf("round %d: %s: got %v %v, want %v\n%v", round, parsed, set.AppendTo(nil), err, want, docs)
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
				t.Fatalf("%s: shards give %v, want %v", parsed, union, want)
			}
		}
	}
}

var words = []string{"", "x", "X ", "xy", "y", "10", "Éa", "éa", "true", "-1"}

func randomDocuments(r *rand.Rand, n int) map[uint32]string {
	var value func(depth int) string
	value = func(depth int) string {
		switch k := r.IntN(9); {
		case k < 3:
			return strconv.Itoa(r.IntN(6) - 2)
		case k < 5:
			return string(jsonvalue.AppendString(nil, words[r.IntN(len(words))]))
		case k == 5:
			return "null"
		case k == 6 && depth > 0:
			var items []string
			for range r.IntN(3) {
				items = append(items, value(depth-1))
			}
			return "[" + strings.Join(items, ",") + "]"
		case k == 7 && depth > 0 && r.IntN(2) == 0:
			return `{"c":` + value(depth-1) + "}"
		}
		return "1.5"
	}
	docs := map[uint32]string{}
	for len(docs) < n {
		var members []string
		for _, name := range []string{"a", "b", "c", "a.c"} {
			if r.IntN(3) > 0 {
				members = append(members, fmt.Sprintf("%q:%s", name, value(2)))
			}
		}
		docs[r.Uint32N(200)] = "{" + strings.Join(members, ",") + "}"
	}
	return docs
}

func randomFilter(r *rand.Rand, depth int) string {
	field := []string{"a", "b", "c", "a.c", "b.c", "c.zz"}[r.IntN(6)]
	word := func() string {
		if r.IntN(2) == 0 {
			return strconv.Itoa(r.IntN(6) - 2)
		}
		return string(jsonvalue.AppendString(nil, words[r.IntN(len(words))]))
	}
	if depth > 0 {
		switch r.IntN(4) {
		case 0:
			return "(" + randomFilter(r, depth-1) + " AND " + randomFilter(r, depth-1) + " AND " + randomFilter(r, depth-1) + ")"
		case 1:
			return "(" + randomFilter(r, depth-1) + " OR " + randomFilter(r, depth-1) + ")"
		case 2:
			return "NOT " + randomFilter(r, depth-1)
		}
	}
	switch r.IntN(9) {
	case 0:
		return field + " IN [" + word() + ", " + word() + "]"
	case 1:
		return field + []string{" IS NULL", " IS EMPTY", " EXISTS", " NOT EXISTS", " IS NOT NULL"}[r.IntN(5)]
	case 2:
		return field + " " + word() + " TO " + word()
	case 3:
		return field + " CONTAINS " + word()
	case 4:
		return field + " STARTS WITH " + word()
	}
	return field + []string{" = ", " != ", " < ", " <= ", " > ", " >= "}[r.IntN(6)] + word()
}

func slow(docs map[uint32]string, n *filter.Node) []uint32 {
	known := map[string]bool{}
	for _, f := range memindex.Fields(docs) {
		known[f] = true
	}
	var out []uint32
	for ord, text := range docs {
		doc, err := jsonvalue.Parse([]byte(text))
		if err != nil {
			panic(err)
		}
		if passes(&doc, "", known, n) {
			out = append(out, ord)
		}
	}
	slices.Sort(out)
	return out
}

type facts struct {
	exists, null, empty bool
	numbers             []float64
	forms               []string
}

func gather(v *jsonvalue.Value, path, field string, onKey bool, f *facts) {
	if path == field {
		f.exists = true
		switch v.Kind() {
		case jsonvalue.KindNull:
			f.null = f.null || onKey
		case jsonvalue.KindString:
			if v.String() == "" {
				f.empty = f.empty || onKey
			} else {
				f.forms = append(f.forms, text.FacetForm(v.String()))
			}
		case jsonvalue.KindBool:
			f.forms = append(f.forms, strconv.FormatBool(v.Bool()))
		case jsonvalue.KindArray, jsonvalue.KindObject:
			f.empty = f.empty || onKey && v.Len() == 0
		default:
			f.numbers = append(f.numbers, v.Float())
		}
	}
	for i := range v.Members() {
		m := &v.Members()[i]
		if v.Kind() == jsonvalue.KindObject {
			gather(&m.Value, path+"."+m.Name, field, true, f)
		} else {
			gather(&m.Value, path, field, false, f)
		}
	}
}

// passes evaluates a filter on a document, or on an object in it whose members have names
// that begin with a prefix.
func passes(doc *jsonvalue.Value, prefix string, known map[string]bool, n *filter.Node) bool {
	switch n.Op {
	case filter.FilterAnd:
		for _, k := range n.Kids {
			if !passes(doc, prefix, known, k) {
				return false
			}
		}
		return true
	case filter.FilterOr:
		return slices.ContainsFunc(n.Kids, func(k *filter.Node) bool { return passes(doc, prefix, known, k) })
	case filter.FilterNot:
		return !passes(doc, prefix, known, n.Kids[0])
	case filter.FilterObject:
		return slices.ContainsFunc(objectsAt(doc, prefix, n.Field.Value), func(o *jsonvalue.Value) bool {
			return passes(o, n.Field.Value+".", known, n.Kids[0])
		})
	}
	if !known[n.Field.Value] {
		return false
	}
	var f facts
	for i := range doc.Members() {
		m := &doc.Members()[i]
		gather(&m.Value, prefix+m.Name, n.Field.Value, true, &f)
	}
	value := func(i int) string { return n.Values[i].Value }
	equal := func(v string) bool {
		x, ok := filter.ParseFinite(v)
		return slices.Contains(f.forms, text.FacetForm(v)) || ok && slices.Contains(f.numbers, x)
	}
	between := func(low, high string, lowOpen, highOpen bool) bool {
		x, ok1 := filter.ParseFinite(low)
		y, ok2 := filter.ParseFinite(high)
		for _, v := range f.numbers {
			if (low == "*" || ok1 && (v > x || v == x && !lowOpen)) && (high == "*" || ok2 && (v < y || v == y && !highOpen)) && (ok1 || low == "*") {
				return true
			}
		}
		a, b := text.FacetForm(low), text.FacetForm(high)
		for _, s := range f.forms {
			if (low == "*" || s > a || s == a && !lowOpen) && (high == "*" || s < b || s == b && !highOpen) {
				return true
			}
		}
		return false
	}
	switch n.Op {
	case filter.FilterExists:
		return f.exists
	case filter.FilterNull:
		return f.null
	case filter.FilterEmpty:
		return f.empty
	case filter.FilterEqual:
		return equal(value(0))
	case filter.FilterNotEqual:
		return !equal(value(0))
	case filter.FilterIn:
		return slices.ContainsFunc(n.Values, func(v filter.FilterToken) bool { return equal(v.Value) })
	case filter.FilterLess:
		return between("*", value(0), false, true)
	case filter.FilterLessEqual:
		return between("*", value(0), false, false)
	case filter.FilterGreater:
		return between(value(0), "*", true, false)
	case filter.FilterGreaterEqual:
		return between(value(0), "*", false, false)
	case filter.FilterBetween:
		return between(value(0), value(1), false, false)
	case filter.FilterContains:
		return slices.ContainsFunc(f.forms, func(s string) bool { return strings.Contains(s, text.FacetForm(value(0))) })
	case filter.FilterStartsWith:
		if text.FacetForm(value(0)) == "" {
			return f.exists
		}
		return slices.ContainsFunc(f.forms, func(s string) bool { return strings.HasPrefix(s, text.FacetForm(value(0))) })
	}
	panic("unknown operator")
}
