package settings

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

// part is the definition of a rest embedder with further members, which win.
func part(members string) string {
	return `{"source":"rest","url":"http://x","request":"{{text}}","response":"{{embedding}}"` + members + `}`
}

func composite(search, indexing string) string {
	return `{"embedders":{"a":{"source":"composite","searchEmbedder":` + search + `,"indexingEmbedder":` + indexing + `}}}`
}

var everything = Features{ChatCompletions: true, ForeignKeys: true, CompositeEmbedders: true, Multimodal: true}

// A fault of a nested definition was reported at another place, with other alternatives, or not
// at all.
func TestNestedEmbeddersAreChecked(t *testing.T) {
	for _, c := range []struct{ body, message string }{
		{composite(part(`,"url":null`), part("")), "`.embedders.a`: Missing field `url` (note: this field is mandatory for source `rest`)"},
		{composite(part(""), part(`,"documentTemplateMaxBytes":0,"documentTemplate":"x"`)), "`.embedders.a.documentTemplateMaxBytes`: `documentTemplateMaxBytes` cannot be zero"},
		{composite(`{}`, part("")), "`.embedders.a.searchEmbedder`: Missing field `source`.\n  - note: this field is mandatory for nested embedders"},
		{composite(part(""), `{"source":"userProvided"}`), "`.embedders.a.indexingEmbedder.source`: Source `userProvided` is not available in a nested embedder"},
		{composite(part(`,"dimension":1`), part("")), "Unknown field `dimension` inside `.embedders.a.searchEmbedder`: did you mean `dimensions`? expected one of `source`, `model`, `revision`, `pooling`, `apiKey`, `dimensions`, `documentTemplate`, `documentTemplateMaxBytes`, `url`, `indexingFragments`, `searchFragments`, `request`, `response`, `headers`, `distribution`, `binaryQuantized`, `searchEmbedder`, `indexingEmbedder`"},
		{composite(part(`,"searchEmbedder":{"y":1}`), part("")), "`.embedders.a.searchEmbedder`: Unknown field `y`: expected one of `source`, `model`, `revision`, `pooling`, `apiKey`, `dimensions`, `documentTemplate`, `documentTemplateMaxBytes`, `url`, `indexingFragments`, `searchFragments`, `request`, `response`, `headers`, `distribution`, `binaryQuantized`, `searchEmbedder`, `indexingEmbedder`\n  - note: nesting embedders in `searchEmbedder` is not allowed"},
		{composite(part(""), part(`,"indexingEmbedder":null`)), "`.embedders.a.indexingEmbedder`: Field `indexingEmbedder` unavailable for source `rest` for the indexing embedder.\n  - note: `indexingEmbedder` is available for sources: `composite`\n  - note: available fields for source `rest` for the indexing embedder: `source`, `apiKey`, `dimensions`, `documentTemplate`, `documentTemplateMaxBytes`, `url`, `indexingFragments`, `request`, `response`, `headers`"},
		{composite(part(`,"documentTemplate":"x"`), part("")), "`.embedders.a.searchEmbedder`: Field `documentTemplate` unavailable for source `rest` for the search embedder.\n  - note: available fields for source `rest` for the search embedder: `source`, `apiKey`, `dimensions`, `url`, `searchFragments`, `request`, `response`, `headers`\n  - note: `documentTemplate` is available when source `rest` is not for the search embedder"},
		{composite(part(""), part(`,"dimensions":1,"model":"m"`)), "`.embedders.a.indexingEmbedder`: Field `model` unavailable for source `rest` for the indexing embedder.\n  - note: `model` is available for sources: `openAi`, `huggingFace`, `ollama`\n  - note: available fields for source `rest` for the indexing embedder: `source`, `apiKey`, `dimensions`, `documentTemplate`, `documentTemplateMaxBytes`, `url`, `indexingFragments`, `request`, `response`, `headers`"},
		{composite(`{"source":"ollama","model":"m","searchFragments":{}}`, part("")), "`.embedders.a.searchEmbedder`: Field `searchFragments` unavailable for source `ollama` for the search embedder.\n  - note: `searchFragments` is available for sources: `rest`\n  - note: available fields for source `ollama` for the search embedder: `source`, `model`, `apiKey`, `dimensions`, `url`"},
		{composite(part(""), `{"source":"ollama","model":"m","revision":"r"}`), "`.embedders.a.indexingEmbedder`: Field `revision` unavailable for source `ollama` for the indexing embedder.\n  - note: `revision` is available for sources: `huggingFace`\n  - note: available fields for source `ollama` for the indexing embedder: `source`, `model`, `apiKey`, `dimensions`, `documentTemplate`, `documentTemplateMaxBytes`, `url`"},
		{composite(`{"source":"openAi","pooling":"useModel"}`, part("")), "`.embedders.a.searchEmbedder`: Field `pooling` unavailable for source `openAi` for the search embedder.\n  - note: `pooling` is available for sources: `huggingFace`\n  - note: available fields for source `openAi` for the search embedder: `source`, `model`, `apiKey`, `dimensions`, `url`"},
	} {
		if _, err := parsePatch(c.body, everything); err == nil || err.Message != c.message {
			t.Errorf("%s:\n got %v\nwant %s", c.body, err, c.message)
		}
	}
}

// Templates of a nested definition are checked with its task, those of documents before it.
func TestNestedTemplatesAreChecked(t *testing.T) {
	bad := Templates{Text: func(source string) error {
		if source == "bad" {
			return errors.New("no end")
		}
		return nil
	}}
	p, err := parsePatch(composite(part(""), part(`,"documentTemplate":"bad"`)), everything)
	if err != nil {
		t.Fatal(err)
	}
	if err = p.CheckSync(everything, bad); err == nil || err.Message != "`.embedders.a.documentTemplate`: Invalid template: user error: cannot parse template: no end." {
		t.Errorf("documentTemplate: %v", err)
	}
	if p, err = parsePatch(composite(part(`,"request":{}`), part("")), everything); err != nil {
		t.Fatal(err)
	}
	if _, err = Apply(Default(), []*Patch{p}, Env{}); err == nil || !strings.HasPrefix(err.Message, "Error while generating embeddings: user error: in `request`: \"{{text}}\" not found\n  - Note: this template") {
		t.Errorf("request: %v", err)
	}
}

// The defaults of nested definitions were not shown. A change replaces the definition for
// searching, and is laid over that for indexing, which null leaves as it is.
func TestNestedEmbeddersShowWhatIsUsed(t *testing.T) {
	s := change(t, Default(), composite(`{"source":"openAi","model":"unknown"}`, part(`,"headers":{"h":"1"}`)),
		`{"embedders":{"a":{"indexingEmbedder":{"documentTemplate":"{{doc.t}}","apiKey":null}}}}`, `{"embedders":{"a":{"indexingEmbedder":null}}}`)
	indexing := part(`,"headers":{"h":"1"}`)
	want := `{"source":"composite","searchEmbedder":{"source":"openAi","model":"text-embedding-3-small"},"indexingEmbedder":` +
		strings.Replace(indexing, `"url"`, `"documentTemplate":"{{doc.t}}","documentTemplateMaxBytes":400,"url"`, 1) + `}`
	if got := string(s.Embedders["a"]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	s = change(t, s, `{"embedders":{"a":{"searchEmbedder":`+part("")+`,"indexingEmbedder":{"source":"ollama","model":"m"}}}}`)
	want = `{"source":"composite","searchEmbedder":` + part(`,"headers":{}`) + `,"indexingEmbedder":{"source":"ollama","model":"m","documentTemplate":"{{doc.t}}","documentTemplateMaxBytes":400}}`
	if got := string(s.Embedders["a"]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A template of documents does not count beside fragments, and does not come back after them.
func TestFragmentsReplaceTheTemplateOfDocuments(t *testing.T) {
	s := change(t, Default(), `{"embedders":{"a":`+part(`,"documentTemplate":"{{doc.t}}"`)+`}}`,
		`{"embedders":{"a":{"request":"{{fragment}}","indexingFragments":{"i":{"value":1}},"searchFragments":{"s":{"value":2}}}}}`)
	if got := string(s.Embedders["a"]); strings.Contains(got, "documentTemplate") {
		t.Error(got)
	}
	s = change(t, s, `{"embedders":{"a":{"request":"{{text}}","indexingFragments":null,"searchFragments":null}}}`)
	if got := string(s.Embedders["a"]); !strings.Contains(got, `{% for field in fields %}`) {
		t.Error(got)
	}
}

// Documents can have 255 fragments. Searches can have more.
func TestFragmentsOfDocumentsAreBounded(t *testing.T) {
	fragments := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = `"f` + strconv.Itoa(i) + `":{"value":1}`
		}
		return `{` + strings.Join(list, ",") + `}`
	}
	for n, message := range map[int]string{255: "", 256: "Too many fragments in the configuration. Found 256, but limited to 256."} {
		p, err := parsePatch(`{"embedders":{"a":`+part(`,"request":"{{fragment}}","indexingFragments":`+fragments(n)+`,"searchFragments":`+fragments(300))+`}}`, everything)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Apply(Default(), []*Patch{p}, Env{}); (err != nil) != (message != "") || err != nil && err.Message != message {
			t.Errorf("%d fragments: %v", n, err)
		}
	}
}

// A document whose fragment had its members in another order was embedded again at its next update.
func TestAnEqualValueStaysAsItWasWritten(t *testing.T) {
	was := `"request":{"a":1,"t":"{{fragment}}"},"indexingFragments":{"i":{"value":{"x":1,"y":[2,{"z":3,"u":4}]}}},"searchFragments":{"s":{"value":2}}`
	is := `"request":{"t":"{{fragment}}","a":1},"indexingFragments":{"i":{"value":{"y":[2,{"u":4,"z":3}],"x":1}}}`
	s := change(t, Default(), `{"embedders":{"a":`+part(`,`+was)+`}}`)
	before := string(s.Embedders["a"])
	if s = change(t, s, `{"embedders":{"a":{`+is+`}}}`); string(s.Embedders["a"]) != before {
		t.Errorf("%s\n%s", before, s.Embedders["a"])
	}
	if s = change(t, s, `{"embedders":{"a":{"request":{"t":"{{fragment}}","a":1.0}}}}`); !strings.Contains(string(s.Embedders["a"]), `"request":{"t":"{{fragment}}","a":1.0}`) {
		t.Error(string(s.Embedders["a"]))
	}
}
