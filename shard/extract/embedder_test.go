package extract

import (
	"encoding/json"
	"strings"
	"testing"

	"shoal/api/settings"
)

// A changed template of the indexing half of a composite embedder made all vectors again, an
// added `dimensions` of an openAi model none. Another order of members or of searchable
// attributes is no change, nor is another limit of the text, which nothing reads.
func TestWhatAChangedDefinitionEmbedsAgain(t *testing.T) {
	const rest, nested = `{"source":"rest",%}`, `{"source":"composite","searchEmbedder":{"source":"rest","url":"s"},"indexingEmbedder":{"source":"rest","url":"x",%}}`
	within := func(frame, members string) map[string]json.RawMessage {
		return map[string]json.RawMessage{"e": json.RawMessage(strings.Replace(frame, "%", members, 1))}
	}
	for _, c := range []struct {
		frame, was, is string
		want           Change
	}{
		{rest, `"request":{"a":1,"b":[2,{"c":3}]}`, `"request":{"b":[2,{"c":3}],"a":1}`, Kept},
		{rest, `"request":{"a":1}`, `"request":{"a":1.0}`, Remade},
		{rest, `"documentTemplate":"a"`, `"documentTemplate":"b"`, Rendered},
		{rest, `"documentTemplateMaxBytes":1`, `"documentTemplateMaxBytes":2`, Kept},
		{rest, `"indexingFragments":{"a":{"value":{"x":1,"y":2}}}`, `"indexingFragments":{"a":{"value":{"y":2,"x":1}}}`, Kept},
		{nested, `"documentTemplate":"a"`, `"documentTemplate":"b"`, Rendered},
		{nested, `"request":"a"`, `"request":"b"`, Remade},
		{nested, `"indexingFragments":{"a":{"value":1}}`, `"indexingFragments":{"a":{"value":2}}`, Rendered},
		{nested, `"apiKey":"a"`, `"apiKey":"b"`, Kept},
		{`{"source":"openAi","model":"text-embedding-3-small",%}`, `"url":"u"`, `"dimensions":1536`, Remade},
		{`{"source":"openAi","model":"text-embedding-3-small",%}`, `"url":"u"`, `"url":"v"`, Kept},
	} {
		old, fresh := settings.Default(), settings.Default()
		old.Embedders, fresh.Embedders = within(c.frame, c.was), within(c.frame, c.is)
		old.SearchableAttributes, fresh.SearchableAttributes = []string{"a", "b"}, []string{"b", "a"}
		got, err := Changes(old, fresh)
		if err != nil || got["e"] != c.want {
			t.Errorf("%s, %s then %s: %v, %v", c.frame, c.was, c.is, got, err)
		}
	}
}
