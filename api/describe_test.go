package api

import (
	"reflect"
	"slices"
	"testing"
)

func TestDescribe(t *testing.T) {
	type page struct{ Size uint64 }
	type body struct {
		Name  Field[string]
		Limit uint64
		Mode  string
		Ratio float64
		List  []string
		Deep  page
	}
	table := NewObject(
		Tristate("name", CodeInvalidIndexUID, String, func(b *body) *Field[string] { return &b.Name }).Required(CodeMissingIndexUID),
		Plain("limit", Code{}, Uint, func(b *body) *uint64 { return &b.Limit }),
		Plain("mode", Code{}, OneOf("a", "b"), func(b *body) *string { return &b.Mode }),
		Plain("ratio", Code{}, Float, func(b *body) *float64 { return &b.Ratio }),
		Plain("list", Code{}, Strings, func(b *body) *[]string { return &b.List }),
		Plain("deep", Code{}, NewObject(Plain("size", Code{}, Uint, func(p *page) *uint64 { return &p.Size })).As(func() page { return page{} }),
			func(b *body) *page { return &b.Deep }),
		Immutable[body]("createdAt", Code{}),
	)
	want := []Described{
		{Name: "name", Code: CodeInvalidIndexUID, Required: true, Kinds: []Kind{KindNull, KindString}},
		{Name: "limit", Code: CodeBadRequest, Kinds: []Kind{KindPositive}},
		{Name: "mode", Code: CodeBadRequest, Kinds: []Kind{KindString}, Words: []string{"a", "b"}},
		{Name: "ratio", Code: CodeBadRequest, Kinds: []Kind{KindPositive, KindNegative, KindFloat}},
		{Name: "list", Code: CodeBadRequest, Kinds: []Kind{KindArray}, Item: &Described{Code: CodeBadRequest, Kinds: []Kind{KindString}}},
		{Name: "deep", Code: CodeBadRequest, Kinds: []Kind{KindObject}, Members: []Described{{Name: "size", Code: CodeBadRequest, Kinds: []Kind{KindPositive}}}},
	}
	got := table.Describe()
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, w := range want {
		if g := got[i]; !reflect.DeepEqual(g, w) {
			t.Errorf("got %+v, want %+v", g, w)
		}
	}
}

func TestDescribeQuery(t *testing.T) {
	type page struct {
		Limit  uint64
		Star   bool
		Format string
	}
	got := NewObject(
		Plain("limit", CodeInvalidTaskLimit, QueryUint, func(p *page) *uint64 { return &p.Limit }),
		Plain("star", Code{}, QueryBool, func(p *page) *bool { return &p.Star }),
		Plain("format", Code{}, OneOf("raw", "human"), func(p *page) *string { return &p.Format }),
	).DescribeQuery()
	if len(got) != 3 || got[0].Kinds[0] != KindPositive || got[0].Code != CodeInvalidTaskLimit || got[1].Kinds[0] != KindBool ||
		got[2].Kinds[0] != KindString || !slices.Equal(got[2].Words, []string{"raw", "human"}) {
		t.Errorf("%+v", got)
	}
}
