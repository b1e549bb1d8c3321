package prompt

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"shoal/embed/liquid"
)

// doubled is a template that doubles a text n times.
func doubled(n int) string {
	return "{% assign x = doc.t %}" + strings.Repeat("{% assign x = x | append: x %}", n)
}

// A documentTemplate that doubled a text took 7 GB and killed one node after another.
func TestATemplateThatDoublesATextCannotTakeMemory(t *testing.T) {
	doc := `{"t":"some words ","a":[1,2,3,4,5,6,7,8,9,10],"o":{"a":"b"}}`
	million := "{% assign s = 'x' %}" + strings.Repeat("{% assign s = s | append: s %}", 20)
	list := million + "{% assign l = 'a,b' | split: ',' %}" + strings.Repeat("{% assign l = l | concat: l %}", 15)
	loops := func(body string) string {
		return strings.Repeat("{% for i in (1..1000) %}", 6) + body + strings.Repeat("{% endfor %}", 6)
	}
	// These reach the limit of steps or of bytes in a slow way for which there is also a
	// quicker one.
	likeOthers := map[string]bool{
		"conditions": true, "table": true, "reversed, limited": true, "loop with else": true, "one long loop": true,
		"dates": true, "many variables": true, "capture in a loop": true,
	}
	for name, source := range map[string]string{
		"append":            doubled(40),
		"prepend":           "{% assign x = doc.t %}" + strings.Repeat("{% assign x = x | prepend: x %}", 40),
		"captures":          "{% assign x = doc.t %}" + strings.Repeat("{% capture x %}{{x}}{{x}}{% endcapture %}", 40),
		"capture in a loop": "{% capture x %}" + loops(strings.Repeat("text", 100)) + "{% endcapture %}",
		"empty loops":       loops(""),
		"one long loop":     "{% for i in (1..1000000000000) %}{% endfor %}",
		"table":             "{% capture x %}{% tablerow i in (1..1000000000) %}{% endtablerow %}{% endcapture %}",
		"loop with else":    "{% for i in (1..1) %}{% else %}{% endfor %}" + loops(""),
		"reversed, limited": "{% for i in (1..1000000000) reversed limit: 900000000 %}{% endfor %}",
		"conditions":        loops("{% if doc.a contains 11 %}{% endif %}"),
		"replace":           million + "{% assign r = s | replace: 'x', s %}",
		"replace nothing":   million + "{% assign r = s | replace: '', s %}",
		"join":              list + "{% assign r = l | join: s %}",
		"list of a text":    million + "{% assign l = s | split: ',' %}" + strings.Repeat("{% assign l = l | concat: l %}", 20) + "{% assign r = l | join: '' %}",
		"text of a list":    million + "{% assign l = s | split: ',' %}" + strings.Repeat("{% assign l = l | concat: l %}", 20) + "{% assign r = l | upcase %}",
		"split":             million + strings.Repeat("{% assign r = s | split: '' %}", 100),
		"lists":             "{% assign l = 'a,b' | split: ',' %}" + strings.Repeat("{% assign l = l | concat: l %}", 60),
		"date width":        "{{ '2020-01-01 00:00:00' | date: '%1000000000Y' }}",
		"dates":             million + "{% assign f = s | replace: 'x', '%999Y' %}{{ '2020-01-01 00:00:00' | date: f }}",
		"escape":            million + "{% assign r = s | replace: 'x', '&' %}" + strings.Repeat("{% assign r = r | escape %}", 30),
		"many variables":    million + strings.Repeat("{% assign v = s | upcase %}", 3000),
		"many outputs":      million + strings.Repeat("{{ s }}", 100),
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && likeOthers[name] {
				t.Skip("takes seconds until its bound, which others meet, too")
			}
			compiled, err := Parse(source)
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			begun := time.Now()
			_, err = compiled.Document(t.Context(), value(t, doc), nil)
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Error("rendered")
			}
			if name != "many outputs" && !errors.Is(err, ErrBudget) {
				t.Errorf("error %.200v", err)
			}
			if made := (after.TotalAlloc - before.TotalAlloc) >> 20; made > 768 {
				t.Errorf("%d MiB were made on the way", made)
			}
			if took := time.Since(begun); took > liquid.MaxTime+5*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

func TestATemplateThatIsTooLargeOrTooDeepIsRefused(t *testing.T) {
	for name, source := range map[string]string{
		"large": strings.Repeat("{{ doc.t }}", liquid.MaxSource/10),
		"deep":  strings.Repeat("{% if doc.t %}", 5000) + strings.Repeat("{% endif %}", 5000),
	} {
		if _, err := Parse(source); !errors.Is(err, ErrBudget) {
			t.Errorf("%s: %.200v", name, err)
		}
	}
	if _, err := Parse(strings.Repeat("{% if doc.t %}", 50) + strings.Repeat("{% endif %}", 50)); err != nil {
		t.Error(err)
	}
	// This is the longest possible chain of filters.
	chain, err := Parse("{{ doc.t" + strings.Repeat("|upcase", liquid.MaxSource/8) + " }}")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := chain.Document(t.Context(), value(t, `{"t":"a"}`), nil); err != nil || out != "A" {
		t.Errorf("%.100q %v", out, err)
	}
}

func TestRenderingStopsWhenItsCallerIsGone(t *testing.T) {
	compiled, err := Parse("{% for i in (1..1000000) %}{% for j in (1..1000000) %}{% endfor %}{% endfor %}")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := compiled.Document(ctx, value(t, `{}`), nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The texts of a fragment share one budget.
func TestAFragmentOfManyTextsHasOneBudget(t *testing.T) {
	one := fmt.Sprintf("%q", doubled(18))
	list := "[" + strings.Repeat(one+",", 200) + one + "]"
	j, err := ParseJSON(value(t, list))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Document(t.Context(), value(t, `{"t":"some words "}`)); !errors.Is(err, ErrBudget) {
		t.Error(err)
	}
}

func BenchmarkTemplate(b *testing.B) {
	compiled, err := Parse("A {{ doc.genre | downcase }} of {{ doc.year }}: {{ doc.text | truncatewords: 20 }}{% for x in doc.tags %} {{ x | upcase }}{% endfor %}")
	if err != nil {
		b.Fatal(err)
	}
	doc := value(b, `{"genre":"Tale","year":1999,"text":"`+strings.Repeat("many words ", 50)+`","tags":["a","b","c"]}`)
	for b.Loop() {
		if _, err := compiled.Document(b.Context(), doc, nil); err != nil {
			b.Fatal(err)
		}
	}
}
