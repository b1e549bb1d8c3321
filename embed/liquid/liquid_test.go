package liquid

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"shoal/api/jsonvalue"
)

// rendered is the result of a template with a document, or "error: " and the reason.
func rendered(t testing.TB, source, doc string) string {
	t.Helper()
	v, err := jsonvalue.Parse([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := Parse(source)
	if err != nil {
		return "error: " + err.Error()
	}
	vars := map[string]any{"doc": JSON(&v), "fields": fieldsOf(&v)}
	out, err := compiled.Render(NewBudget(t.Context()), vars)
	if err != nil {
		return "error: " + err.Error()
	}
	return out
}

// fieldsOf are the members of a document as templates of embedders get them.
func fieldsOf(doc *jsonvalue.Value) any {
	var out []any
	for _, m := range doc.Members() {
		v := jsonvalue.ObjectValue(
			jsonvalue.Member{Name: "name", Value: jsonvalue.StringValue(m.Name)},
			jsonvalue.Member{Name: "value", Value: m.Value},
			jsonvalue.Member{Name: "is_searchable", Value: jsonvalue.BoolValue(true)},
		)
		out = append(out, JSON(&v))
	}
	return List(out)
}

// corpus are a document, and templates with their results.
func corpus(t testing.TB) (doc string, pairs [][2]string) {
	t.Helper()
	b, err := os.ReadFile("testdata/corpus.txt")
	if err != nil {
		t.Fatal(err)
	}
	doc, rest, _ := strings.Cut(string(b), "\n\n")
	for part := range strings.SplitSeq(strings.TrimSpace(rest), "\n\n") {
		source, want, _ := strings.Cut(part, "\n")
		failed := strings.HasPrefix(want, "error ")
		var pair [2]string
		if pair[0], err = strconv.Unquote(source); err == nil {
			pair[1], err = strconv.Unquote(strings.TrimPrefix(want, "error "))
		}
		if err != nil {
			t.Fatalf("%s: %v", part, err)
		}
		if failed {
			pair[1] = "error: " + pair[1]
		}
		pairs = append(pairs, pair)
	}
	return doc, pairs
}

// TestTemplates covers every tag and filter, and the errors of templates.
func TestTemplates(t *testing.T) {
	doc, _ := corpus(t)
	datadriven.RunTest(t, "testdata/templates.txt", func(t *testing.T, d *datadriven.TestData) string {
		return rendered(t, d.Input, doc) + "\n"
	})
}

// These templates were made at random; their results are those of the reference. Of a
// syntax error only the fact is.
func TestCorpus(t *testing.T) {
	doc, pairs := corpus(t)
	if len(pairs) < 200 {
		t.Fatalf("only %d templates", len(pairs))
	}
	for _, p := range pairs {
		if got := rendered(t, p[0], doc); got != p[1] {
			t.Errorf("%q: %q, want %q", p[0], got, p[1])
		}
	}
}

// All texts of one rendering share a budget: the second template gets what the first one
// left.
func TestTemplatesOfOneBudgetShareIt(t *testing.T) {
	compiled, err := Parse("{% for x in (1..700000) %}{% endfor %}")
	if err != nil {
		t.Fatal(err)
	}
	b := NewBudget(t.Context())
	if _, err := compiled.Render(b, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := compiled.Render(b, nil); !errors.Is(err, ErrBudget) {
		t.Error(err)
	}
}

func TestUniqOfALongListIsQuick(t *testing.T) {
	begun := time.Now()
	got := rendered(t, "{% assign l = 'a,b' | split: ',' %}"+strings.Repeat("{% assign l = l | concat: l %}", 17)+"{{ l | uniq | join: ',' }}", `{}`)
	if got != "a,b" || time.Since(begun) > 5*time.Second {
		t.Errorf("%q after %s", got, time.Since(begun))
	}
}

func TestVariablesOfTheCallerStayAsTheyAre(t *testing.T) {
	compiled, err := Parse("{% assign x = 2 %}{% increment x %}{% for y in (1..2) %}{% endfor %}{{ x }}{% if y %}y{% endif %}")
	if err != nil {
		t.Fatal(err)
	}
	vars := map[string]any{"x": 1}
	for range 2 {
		if out, err := compiled.Render(NewBudget(t.Context()), vars); err != nil || out != "02" {
			t.Errorf("%q %v", out, err)
		}
	}
	if len(vars) != 1 || vars["x"] != 1 {
		t.Error(vars)
	}
}

func TestSyntaxErrorsNameTheirLine(t *testing.T) {
	_, err := Parse("one\ntwo\n{% if a %}{{ b c }}{% endif %}")
	var wrong *SyntaxError
	if !errors.As(err, &wrong) || wrong.Line != 3 || wrong.Part != "{{ b c }}" {
		t.Errorf("%v", err)
	}
}

// FuzzRender: whatever a client writes, a template is refused, fails or renders, within its
// budget. It never panics.
func FuzzRender(f *testing.F) {
	doc, pairs := corpus(f)
	v, err := jsonvalue.Parse([]byte(doc))
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range pairs {
		f.Add(p[0])
	}
	f.Fuzz(func(t *testing.T, source string) {
		compiled, err := Parse(source)
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r := &rendering{budget: NewBudget(ctx), vars: map[string]any{"doc": JSON(&v), "fields": fieldsOf(&v)}, out: &bounded{}}
		defer func() {
			if f := recover(); f != nil {
				if _, ok := f.(fault); !ok {
					panic(f)
				}
			}
		}()
		r.all(compiled.nodes)
	})
}
