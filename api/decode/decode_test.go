package decode

import (
	"strings"
	"testing"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

type point struct {
	x    uint64
	y    *float64
	tags []string
	mode Field[string]
	near []Entry[point]
	raw  jsonvalue.Value
}

var pointObject *Object[point]

func init() {
	pointObject = NewObject(
		Plain("x", apierr.CodeInvalidSearchOffset, UintUpTo(9), func(p *point) *uint64 { return &p.x }).Required(apierr.CodeMissingSearchHybrid),
		Optional("y", apierr.CodeInvalidSearchLimit, Float, func(p *point) **float64 { return &p.y }),
		Nullable("tags", apierr.Code{}, StringSet, func(p *point) *[]string { return &p.tags }),
		Tristate("mode", apierr.CodeInvalidSearchQ, OneOf("north", "south"), func(p *point) *Field[string] { return &p.mode }),
		Plain("near", apierr.CodeInvalidSearchSort, Map(func(at *Loc, v *jsonvalue.Value) (point, *apierr.Error) {
			var p point
			err := pointObject.Decode(at, v, &p)
			return p, err
		}), func(p *point) *[]Entry[point] { return &p.near }),
		Plain("raw", apierr.Code{}, Any, func(p *point) *jsonvalue.Value { return &p.raw }),
		Immutable[point]("made", apierr.CodeImmutableIndexCreatedAt),
	)
}

func TestDecodeObject(t *testing.T) {
	const names = "`x`, `y`, `tags`, `mode`, `near`, `raw`"
	for _, c := range []struct{ body, code, message string }{
		{`[]`, "bad_request", "Invalid value type: expected an object, but found an array: `[]`"},
		{`{"modes":1,"x":true}`, "bad_request", "Unknown field `modes`: did you mean `mode`? expected one of " + names},
		{`{"x":true,"modes":1}`, "invalid_search_offset", "Invalid value type at `.x`: expected a positive integer, but found a boolean: `true`"},
		{`{"x":10}`, "invalid_search_offset", "Invalid value at `.x`: value: `10` is too large to be deserialized, maximum value authorized is `9`"},
		{`{"x":-1}`, "invalid_search_offset", "Invalid value type at `.x`: expected a positive integer, but found a negative integer: `-1`"},
		{`{"x":1.0}`, "invalid_search_offset", "Invalid value type at `.x`: expected a positive integer, but found a number: `1.0`"},
		{`{"x":null}`, "invalid_search_offset", "Invalid value type at `.x`: expected a positive integer, but found null"},
		{`{"y":"1"}`, "invalid_search_limit", "Invalid value type at `.y`: expected a number, but found a string: `\"1\"`"},
		{`{"tags":["a",{"b": [1]}]}`, "bad_request", "Invalid value type at `.tags[1]`: expected a string, but found an object: `{\"b\":[1]}`"},
		{`{"mode":"nort"}`, "invalid_search_q", "Unknown value `nort` at `.mode`: did you mean `north`? expected one of `north`, `south`"},
		{`{"mode":"no"}`, "invalid_search_q", "Unknown value `no` at `.mode`: expected one of `north`, `south`"},
		{`{}`, "missing_search_hybrid", "Missing field `x`"},
		{`{"near":{"a b":{}}}`, "missing_search_hybrid", "Missing field `x` inside `.near.a b`"},
		{`{"near":{"a":{"x":1,"tags":1}}}`, "invalid_search_sort", "Invalid value type at `.near.a.tags`: expected an array, but found a positive integer: `1`"},
		{`{"near":{"a":{"z":1}}}`, "invalid_search_sort", "Unknown field `z` inside `.near.a`: expected one of " + names},
		{`{"made":1}`, "immutable_index_created_at", "Immutable field `made`: expected one of " + names},
	} {
		v, err := jsonvalue.Parse([]byte(c.body))
		if err != nil {
			t.Fatal(err)
		}
		var p point
		refused := pointObject.Decode(BodyRoot(apierr.CodeBadRequest), &v, &p)
		if refused == nil || refused.Code.Name != c.code || refused.Message != c.message {
			t.Errorf("%s: %+v, want %s: %s", c.body, refused, c.code, c.message)
		}
	}
	v, err := jsonvalue.Parse([]byte(`{"x":3,"y":null,"tags":["b","a","b"],"mode":null,"near":{"n":{"x":1}},"raw":{"a":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	var p point
	if refused := pointObject.Decode(BodyRoot(apierr.CodeBadRequest), &v, &p); refused != nil || p.x != 3 || p.y != nil ||
		strings.Join(p.tags, "") != "ab" || !p.mode.IsNull() || p.near[0].Value.x != 1 || p.raw.JSON() != `{"a":1}` {
		t.Errorf("%v %+v", refused, p)
	}
}

func TestDecodeQuery(t *testing.T) {
	type q struct {
		n    uint64
		b    bool
		s    *string
		list []uint32
		star []string
	}
	table := NewObject(
		Plain("n", apierr.CodeInvalidTaskLimit, QueryUint, func(p *q) *uint64 { return &p.n }),
		Plain("b", apierr.CodeInvalidTaskReverse, QueryBool, func(p *q) *bool { return &p.b }),
		Optional("s", apierr.Code{}, String, func(p *q) **string { return &p.s }),
		Plain("list", apierr.CodeInvalidTaskUIDs, QueryList(QueryUint32), func(p *q) *[]uint32 { return &p.list }),
		Plain("star", apierr.CodeInvalidIndexUID, QueryStarList(IndexUID), func(p *q) *[]string { return &p.star }),
	)
	for _, c := range []struct{ raw, code, message string }{
		{"nn=1", "bad_request", "Unknown parameter `nn`: expected one of `n`, `b`, `s`, `list`, `star`"},
		{"n=1&n=", "invalid_task_limit", "Invalid value in parameter `n`: could not parse `` as a positive integer"},
		{"n=1+", "invalid_task_limit", "Invalid value in parameter `n`: could not parse `1 ` as a positive integer"},
		{"b=True", "invalid_task_reverse", "Invalid value in parameter `b`: could not parse `True` as a boolean, expected either `true` or `false`"},
		{"list=1,,x", "invalid_task_uids", "Invalid value in parameter `list`: could not parse `x` as a positive integer"},
		{"list=4294967296", "invalid_task_uids", "Invalid value in parameter `list`: could not parse `4294967296` as a positive integer"},
		{"star=*,a%20b", "invalid_index_uid", "Invalid value in parameter `star[1]`: " + apierr.InvalidIndexUIDText("a b")},
	} {
		v := jsonvalue.ParseQuery(c.raw)
		var p q
		if refused := table.Decode(QueryRoot(), &v, &p); refused == nil || refused.Code.Name != c.code || refused.Message != c.message {
			t.Errorf("%s: %+v, want %s: %s", c.raw, refused, c.code, c.message)
		}
	}
	v := jsonvalue.ParseQuery("n=%2B7&b=true&s&list=&star=a,*&&n=8")
	var p q
	if refused := table.Decode(QueryRoot(), &v, &p); refused != nil || p.n != 8 || !p.b || *p.s != "" || p.list == nil || len(p.list) != 0 || p.star != nil {
		t.Errorf("%v %+v", refused, p)
	}
	if v := jsonvalue.ParseQuery("a%zz=b%2&c=%ff"); v.Get("a%zz").String() != "b%2" || v.Get("c").String() != "\uFFFD" {
		t.Errorf("lenient escapes: %s", v.JSON())
	}
}

// TestAnErrorInAListOfAQueryStringNamesTheParameter: `vector=1,x` was refused because of
// `vector[1]`, where the reference names `vector`. Only lists with a star name the element.
func TestAnErrorInAListOfAQueryStringNamesTheParameter(t *testing.T) {
	type q struct{ list []uint32 }
	slot := func(p *q) *[]uint32 { return &p.list }
	for want, list := range map[string]Decoder[[]uint32]{"uids": QueryList(QueryUint32), "uids[2]": QueryStarList(QueryUint32)} {
		v := jsonvalue.ParseQuery("uids=1,2,x")
		want = "Invalid value in parameter `" + want + "`: could not parse `x` as a positive integer"
		refused := NewObject(Plain("uids", apierr.CodeInvalidTaskUIDs, list, slot)).Decode(QueryRoot(), &v, &q{})
		if refused == nil || refused.Message != want {
			t.Errorf("%+v, want %s", refused, want)
		}
	}
}

func TestKindsText(t *testing.T) {
	for want, kinds := range map[string][]jsonvalue.Kind{
		"an integer":       {jsonvalue.KindNegative, jsonvalue.KindPositive},
		"a number":         {jsonvalue.KindFloat, jsonvalue.KindPositive, jsonvalue.KindNegative},
		"null or a number": {jsonvalue.KindFloat, jsonvalue.KindNegative, jsonvalue.KindNull},
		"a boolean, a positive integer, or a string": {jsonvalue.KindString, jsonvalue.KindPositive, jsonvalue.KindBool},
		"an array or an object":                      {jsonvalue.KindObject, jsonvalue.KindArray},
	} {
		if got := kindsText(kinds); got != want {
			t.Errorf("%v: %s", kinds, got)
		}
	}
}
