package prompt

import (
	"strings"
	"testing"

	"shoal/api/jsonvalue"
	"shoal/api/settings"
)

func value(t testing.TB, text string) *jsonvalue.Value {
	t.Helper()
	v, err := jsonvalue.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &v
}

func TestDocument(t *testing.T) {
	doc := `{"id":1,"t":"Sun","n":null,"f":1.50,"tags":["a",{"k":"v"},2],"o":{"x":{"y":"deep"},"z":0},"yes":true,"_geo":{"lat":1,"lng":2},"_vectors":{"m":[1]}}`
	cases := []struct{ template, want, fault string }{
		{template: settings.DefaultDocumentTemplate, want: "id: 1\nt: Sun\nf: 1.5\ntags: akv2\no: xydeepz0\nyes: true\n"},
		{template: "{% for field in fields %}{{ field.name }}={{ field.value }};{% endfor %}", want: "id=1;t=Sun;n=;f=1.5;tags=akv2;o=xydeepz0;yes=true;"},
		{template: "A movie {{ doc.t }} {{doc.o.x.y | upcase}} {{ doc.tags[1].k }} {{doc.tags.first}} {{doc.tags.size}} {{doc.n}}", want: "A movie Sun DEEP v a 3 "},
		{template: "{% if doc.missing %}a{% elsif doc.o.nothing.at_all %}b{% else %}{{ doc.id | plus: 1 }}{% endif %}", want: "2"},
		{template: "{% if doc.t == 'doc.missing' or doc.yes %}yes{% endif %}{% unless doc.n %}!{% endunless %}", want: "yes!"},
		{template: "{% assign x = doc.t | append: '!' %}{{ x }}{% capture y %}{{ x }}{{ x }}{% endcapture %} {{ y }}", want: "Sun! Sun!Sun!"},
		{template: "{{ doc.tags | join: ',' }}", want: "a,kv,2"},
		{template: "{% raw %}{{ doc.t }}{% endraw %}", want: "{{ doc.t }}"},
		{template: "{{ doc.missing }}", fault: "liquid: Unknown index\n  with:\n    variable=doc\n    requested index=missing\n    available indexes=id, t, n, f, tags, o, yes\n"},
		{template: "{{ doc.o.w | upcase }}", fault: "liquid: Unknown index\n  with:\n    variable=doc.o\n    requested index=w\n    available indexes=x, z\n"},
		{template: "{{ doc._vectors }}", fault: "liquid: Unknown index\n  with:\n    variable=doc\n    requested index=_vectors\n    available indexes=id, t, n, f, tags, o, yes\n"},
	}
	for _, c := range cases {
		compiled, err := Parse(c.template)
		if err != nil {
			t.Fatalf("%s: %v", c.template, err)
		}
		got, err := compiled.Document(t.Context(), value(t, doc), nil)
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: error is %q, want %q", c.template, err, c.fault)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %q %v, want %q", c.template, got, err, c.want)
		}
	}
	compiled, err := Parse(settings.DefaultDocumentTemplate)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := compiled.Document(t.Context(), value(t, doc), func(name string) bool { return name == "t" }); got != "t: Sun\n" {
		t.Errorf("only searchable fields belong into the default text: %q", got)
	}
}

func TestTemplatesReadNothing(t *testing.T) {
	for _, source := range []string{"{% include 'x' %}", "{% render 'x' %}", "{% include '../../../../etc/hostname' %}"} {
		compiled, err := Parse(source)
		if err != nil {
			continue
		}
		if out, err := compiled.Document(t.Context(), value(t, `{}`), nil); err == nil {
			t.Errorf("%s rendered %q", source, out)
		}
	}
	for _, source := range []string{"{{ doc.t: }}", "{% if %}", "{% nonsense %}", "{{ doc.a"} {
		if compiled, err := Parse(source); err == nil {
			if out, err := compiled.Document(t.Context(), value(t, `{"t":1}`), nil); err == nil && source != "{{ doc.a" {
				t.Errorf("%s compiled and rendered %q", source, out)
			}
		}
	}
	compiled, err := Parse("{% for i in (1..3000) %}{% for j in (1..3000) %}0123456789{% endfor %}{% endfor %}")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := compiled.Document(t.Context(), value(t, `{}`), nil); err == nil {
		t.Error("an endless text was rendered")
	}
}

func TestFragments(t *testing.T) {
	j, err := ParseJSON(value(t, `{"type":"text","inner":[{"text":"about {{ doc.t }}"},3,null]}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := j.Document(t.Context(), value(t, `{"t":"Sun"}`))
	if err != nil || got.JSON() != `{"type":"text","inner":[{"text":"about Sun"},3,null]}` {
		t.Fatalf("%s %v", got.JSON(), err)
	}
	if _, err := j.Document(t.Context(), value(t, `{}`)); err == nil {
		t.Fatal("a fragment of a missing member was rendered")
	}
	if j, err = ParseJSON(value(t, `["{{ fields.size }}"]`)); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Document(t.Context(), value(t, `{"t":"Sun"}`)); err == nil {
		t.Fatal("a fragment has fields, unlike a document template")
	}
	if j, err = ParseJSON(value(t, `["{{q}} {{media.image}}"]`)); err != nil {
		t.Fatal(err)
	}
	q := "red"
	if got, err = j.Search(t.Context(), &q, value(t, `{"image":"x.png"}`)); err != nil || got.JSON() != `["red x.png"]` {
		t.Fatalf("%s %v", got.JSON(), err)
	}
	if _, err = j.Search(t.Context(), &q, nil); err == nil {
		t.Fatal("a fragment of a missing media was rendered")
	}
}

func FuzzTemplate(f *testing.F) {
	f.Add("{% if doc.a == 'x' %}{{ doc.b | upcase | split: ',' }}{% endif %}", `{"a":"x","b":"1,2"}`)
	f.Add("{% for x in doc.a %}{{ x[0].b }}{% endfor %}{{ q }}", `{"a":[[{"b":1}],"s"]}`)
	f.Fuzz(func(t *testing.T, source, doc string) {
		v, err := jsonvalue.Parse([]byte(doc))
		if err != nil || v.Kind() != jsonvalue.KindObject {
			t.Skip()
		}
		compiled, err := Parse(source)
		if err != nil {
			return
		}
		_, _ = compiled.Document(t.Context(), &v, nil)
	})
}
