package decode

import (
	"reflect"
	"slices"
	"testing"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
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
		Tristate("name", apierr.CodeInvalidIndexUID, String, func(b *body) *Field[string] { return &b.Name }).Required(apierr.CodeMissingIndexUID),
		Plain("limit", apierr.Code{}, Uint, func(b *body) *uint64 { return &b.Limit }),
		Plain("mode", apierr.Code{}, OneOf("a", "b"), func(b *body) *string { return &b.Mode }),
		Plain("ratio", apierr.Code{}, Float, func(b *body) *float64 { return &b.Ratio }),
		Plain("list", apierr.Code{}, Strings, func(b *body) *[]string { return &b.List }),
		Plain("deep", apierr.Code{}, NewObject(Plain("size", apierr.Code{}, Uint, func(p *page) *uint64 { return &p.Size })).Read,
			func(b *body) *page { return &b.Deep }),
		Immutable[body]("createdAt", apierr.Code{}),
	)
	want := []Described{
		{Name: "name", Code: apierr.CodeInvalidIndexUID, Required: true, Kinds: []jsonvalue.Kind{jsonvalue.KindNull, jsonvalue.KindString}},
		{Name: "limit", Code: apierr.CodeBadRequest, Kinds: []jsonvalue.Kind{jsonvalue.KindPositive}},
		{Name: "mode", Code: apierr.CodeBadRequest, Kinds: []jsonvalue.Kind{jsonvalue.KindString}, Words: []string{"a", "b"}},
		{Name: "ratio", Code: apierr.CodeBadRequest, Kinds: []jsonvalue.Kind{jsonvalue.KindPositive, jsonvalue.KindNegative, jsonvalue.KindFloat}},
		{Name: "list", Code: apierr.CodeBadRequest, Kinds: []jsonvalue.Kind{jsonvalue.KindArray}, Item: &Described{Code: apierr.CodeBadRequest, Kinds: []jsonvalue.Kind{jsonvalue.KindString}}},
		{Name: "deep", Code: apierr.CodeBadRequest, Kinds: []jsonvalue.Kind{jsonvalue.KindObject}, Members: []Described{{Name: "size", Code: apierr.CodeBadRequest, Kinds: []jsonvalue.Kind{jsonvalue.KindPositive}}}},
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
		Plain("limit", apierr.CodeInvalidTaskLimit, QueryUint, func(p *page) *uint64 { return &p.Limit }),
		Plain("star", apierr.Code{}, QueryBool, func(p *page) *bool { return &p.Star }),
		Plain("format", apierr.Code{}, OneOf("raw", "human"), func(p *page) *string { return &p.Format }),
	).DescribeQuery()
	if len(got) != 3 || got[0].Kinds[0] != jsonvalue.KindPositive || got[0].Code != apierr.CodeInvalidTaskLimit || got[1].Kinds[0] != jsonvalue.KindBool ||
		got[2].Kinds[0] != jsonvalue.KindString || !slices.Equal(got[2].Words, []string{"raw", "human"}) {
		t.Errorf("%+v", got)
	}
}
