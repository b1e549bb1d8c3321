package settings

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"shoal/api/apierr"
	"shoal/api/decode"
	"shoal/api/jsonvalue"
)

const freshSettings = `{"displayedAttributes":["*"],"searchableAttributes":["*"],"filterableAttributes":[],"sortableAttributes":[],` +
	`"rankingRules":["words","typo","proximity","attributeRank","sort","wordPosition","exactness"],` +
	`"stopWords":[],"nonSeparatorTokens":[],"separatorTokens":[],"dictionary":[],"synonyms":{},"distinctAttribute":null,` +
	`"proximityPrecision":"byWord",` +
	`"typoTolerance":{"enabled":true,"minWordSizeForTypos":{"oneTypo":5,"twoTypos":9},"disableOnWords":[],"disableOnAttributes":[],"disableOnNumbers":false},` +
	`"faceting":{"maxValuesPerFacet":100,"sortFacetValuesBy":{"*":"alpha"}},"pagination":{"maxTotalHits":1000},` +
	`"embedders":{},"searchCutoffMs":null,"localizedAttributes":null,"facetSearch":true,"prefixSearch":"indexingTime"}`

// parsePatch reads a body of PATCH /settings and checks it as the route does.
func parsePatch(body string, f Features) (*Patch, *apierr.Error) {
	v, err := jsonvalue.Parse([]byte(body))
	if err != nil {
		return nil, apierr.MalformedJSON(err)
	}
	p, refused := ParsePatch(decode.BodyRoot(apierr.CodeBadRequest), &v)
	if refused == nil {
		refused = p.CheckSync(f, Templates{})
	}
	return p, refused
}

// change applies bodies in order, one task each, and fails on a refusal.
func change(t *testing.T, s *Settings, bodies ...string) *Settings {
	t.Helper()
	for _, body := range bodies {
		p, err := parsePatch(body, Features{ChatCompletions: true, ForeignKeys: true, CompositeEmbedders: true, Multimodal: true})
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if s, err = Apply(s, []*Patch{p}, Env{StopWord: norm.NFKD.String}); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		stored, jsonErr := json.Marshal(s)
		if jsonErr != nil {
			t.Fatal(jsonErr)
		}
		back := &Settings{}
		if jsonErr := json.Unmarshal(stored, back); jsonErr != nil {
			t.Fatal(jsonErr)
		}
		all := Features{ChatCompletions: true, ForeignKeys: true}
		if a, b := string(Append(nil, s, all)), string(Append(nil, back, all)); a != b {
			t.Fatalf("%s: storing changes settings:\n%s\n%s", body, a, b)
		}
		s = back
	}
	return s
}

func TestFreshSettings(t *testing.T) {
	if got := string(Append(nil, Default(), Features{})); got != freshSettings {
		t.Errorf("got %s", got)
	}
	chat := Features{ChatCompletions: true, ForeignKeys: true}
	got := string(Append(nil, Default(), chat))
	if !strings.Contains(got, `"sortableAttributes":[],"foreignKeys":[],"rankingRules"`) ||
		!strings.HasSuffix(got, `,"chat":{"description":"","documentTemplate":`+string(jsonvalue.AppendString(nil, DefaultDocumentTemplate))+`,"documentTemplateMaxBytes":400,"searchParameters":{}}}`) {
		t.Errorf("with features: %s", got)
	}
}

func TestResetAllSettings(t *testing.T) {
	want := `{"displayedAttributes":["*"],"searchableAttributes":["*"],"filterableAttributes":null,"sortableAttributes":null,"foreignKeys":null,"rankingRules":null,"stopWords":null,"nonSeparatorTokens":null,"separatorTokens":null,"dictionary":null,"synonyms":null,"distinctAttribute":null,"proximityPrecision":null,"typoTolerance":null,"faceting":null,"pagination":null,"embedders":null,"searchCutoffMs":null,"localizedAttributes":null,"facetSearch":null,"prefixSearch":null,"chat":null}`
	if got := string(ResetAll().AppendJSON(nil, true)); got != want {
		t.Errorf("got %s", got)
	}
}

// Each body, its details, and the settings that then differ from the fresh ones.
func TestApplySettings(t *testing.T) {
	for _, c := range []struct{ body, details, shown string }{
		{`{"displayedAttributes":["b","a","b"]}`, `{"displayedAttributes":["b","a","b"]}`, `"displayedAttributes":["b","a"]`},
		{`{"displayedAttributes":[]}`, `{"displayedAttributes":[]}`, `"displayedAttributes":[]`},
		{`{"searchableAttributes":["a","*"],"displayedAttributes":["*","b"]}`, `{"displayedAttributes":["*","b"],"searchableAttributes":["a","*"]}`, `"displayedAttributes":["*"],"searchableAttributes":["*"]`},
		{`{"filterableAttributes":[{"attributePatterns":["v","v.*"],"features":{"sameObject":true}},{"attributePatterns":["w"],"features":{"sameObject":false}}]}`,
			`{"filterableAttributes":[{"attributePatterns":["v","v.*"],"features":{"facetSearch":false,"filter":{"equality":true,"comparison":false},"sameObject":true}},{"attributePatterns":["w"],"features":{"facetSearch":false,"filter":{"equality":true,"comparison":false}}}]}`,
			`"filterableAttributes":[{"attributePatterns":["v","v.*"],"features":{"facetSearch":false,"filter":{"equality":true,"comparison":false},"sameObject":true}},{"attributePatterns":["w"],"features":{"facetSearch":false,"filter":{"equality":true,"comparison":false}}}]`},
		{`{"filterableAttributes":["a",{"attributePatterns":["x*"]},"a"]}`,
			`{"filterableAttributes":["a",{"attributePatterns":["x*"],"features":{"facetSearch":false,"filter":{"equality":true,"comparison":false}}},"a"]}`,
			`"filterableAttributes":["a",{"attributePatterns":["x*"],"features":{"facetSearch":false,"filter":{"equality":true,"comparison":false}}},"a"]`},
		{`{"sortableAttributes":["b","a","b"]}`, `{"sortableAttributes":["a","b"]}`, `"sortableAttributes":["a","b"]`},
		{`{"rankingRules":["words",":desc","a:b:asc","_vectors:asc","_geoPolygon([1]):asc","words"]}`,
			`{"rankingRules":["words",":desc","a:b:asc","_vectors:asc","_geoPolygon([1]):asc","words"]}`, `"rankingRules":["words",":desc","a:b:asc","_vectors:asc","_geoPolygon([1]):asc","words"]`},
		{`{"rankingRules":[]}`, `{"rankingRules":[]}`, `"rankingRules":[]`},
		{`{"stopWords":["É","ﬁ","Ａ"]}`, "{\"stopWords\":[\"É\",\"ﬁ\",\"Ａ\"]}", "\"stopWords\":[\"A\",\"E\u0301\",\"fi\"]"},
		{`{"synonyms":{"b":["c","c"],"a":[]}}`, `{"synonyms":{"a":[],"b":["c","c"]}}`, `"synonyms":{"a":[],"b":["c","c"]}`},
		{`{"distinctAttribute":""}`, `{"distinctAttribute":""}`, `"distinctAttribute":""`},
		{`{"typoTolerance":{"minWordSizeForTypos":{"oneTypo":3},"disableOnWords":["B","a"]}}`,
			`{"typoTolerance":{"minWordSizeForTypos":{"oneTypo":3},"disableOnWords":["B","a"]}}`,
			`"minWordSizeForTypos":{"oneTypo":3,"twoTypos":9},"disableOnWords":["a","b"]`},
		{`{"faceting":{"sortFacetValuesBy":{"b":"count","a":"alpha"}}}`, `{"faceting":{"sortFacetValuesBy":{"a":"alpha","b":"count"}}}`,
			`"faceting":{"maxValuesPerFacet":100,"sortFacetValuesBy":{"*":"alpha","a":"alpha","b":"count"}}`},
		{`{"pagination":{"maxTotalHits":7}}`, `{"pagination":{"maxTotalHits":7}}`, `"pagination":{"maxTotalHits":7}`},
		{`{"searchCutoffMs":0}`, `{"searchCutoffMs":0}`, `"searchCutoffMs":0`},
		{`{"localizedAttributes":[{"locales":["fr","zh","cmn"],"attributePatterns":["*_x"]}]}`,
			`{"localizedAttributes":[{"attributePatterns":["*_x"],"locales":["fr","zh","cmn"]}]}`,
			`"localizedAttributes":[{"attributePatterns":["*_x"],"locales":["fra","zho","cmn"]}]`},
		{`{"localizedAttributes":[]}`, `{"localizedAttributes":[]}`, `"localizedAttributes":[]`},
		{`{"embedders":{"b":{"dimensions":3,"source":"userProvided"},"a":null}}`, `{"embedders":{"a":null,"b":{"source":"userProvided","dimensions":3}}}`,
			`"embedders":{"b":{"source":"userProvided","dimensions":3}}`},
		{`{"embedders":{"d":{"source":"userProvided","dimensions":3,"distribution":{"mean":0.123456789,"sigma":1.00000001}}}}`, `{"embedders":{"d":{"source":"userProvided","dimensions":3,"distribution":{"mean":0.12345679,"sigma":1.0}}}}`,
			`"distribution":{"mean":0.12345679,"sigma":1.0}`},
		{`{"embedders":{"o":{"apiKey":"sk-1234567890123456789012345678"}}}`, `{"embedders":{"o":{"apiKey":"sk-12XXXXXX..."}}}`,
			`"embedders":{"o":{"source":"openAi","model":"text-embedding-3-small","apiKey":"sk-12XXXXXX...","documentTemplate":` + string(jsonvalue.AppendString(nil, DefaultDocumentTemplate)) + `,"documentTemplateMaxBytes":400}}`},
		{`{"chat":{"searchParameters":{"hybrid":{"embedder":"e"},"limit":null}}}`, `{"chat":{"searchParameters":{"hybrid":{"semanticRatio":0.5,"embedder":"e"},"limit":null}}}`,
			`"searchParameters":{"hybrid":{"semanticRatio":0.5,"embedder":"e"}}`},
		{`{"foreignKeys":[{"fieldName":"f","foreignIndexUid":"i"}],"facetSearch":false}`, `{"foreignKeys":[{"foreignIndexUid":"i","fieldName":"f"}],"facetSearch":false}`, `"facetSearch":false`},
	} {
		p, err := parsePatch(c.body, Features{ChatCompletions: true, ForeignKeys: true})
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		if got := string(p.AppendJSON(nil, true)); got != c.details {
			t.Errorf("%s: details %s", c.body, got)
		}
		s := change(t, Default(), c.body)
		if got := string(Append(nil, s, Features{ChatCompletions: true, ForeignKeys: true})); !strings.Contains(got, c.shown) {
			t.Errorf("%s: shown %s", c.body, got)
		}
		body, jsonErr := json.Marshal(p)
		again := &Patch{}
		if jsonErr == nil {
			jsonErr = json.Unmarshal(body, again)
		}
		if jsonErr != nil || string(again.AppendJSON(nil, false)) != string(body) {
			t.Errorf("%s: a stored patch changes: %s, %v", c.body, again.AppendJSON(nil, false), jsonErr)
		}
		reset, err := Apply(s, []*Patch{ResetAll()}, Env{})
		if err != nil || string(Append(nil, reset, Features{})) != freshSettings {
			t.Errorf("%s: reset %v %s", c.body, err, Append(nil, reset, Features{}))
		}
	}
}

func TestSettingsMerge(t *testing.T) {
	s := change(t, Default(),
		`{"typoTolerance":{"minWordSizeForTypos":{"oneTypo":2},"disableOnNumbers":true},"faceting":{"maxValuesPerFacet":9,"sortFacetValuesBy":{"x":"count"}}}`,
		`{"typoTolerance":{"minWordSizeForTypos":{"twoTypos":4},"disableOnNumbers":null},"faceting":{"sortFacetValuesBy":null}}`,
		`{"embedders":{"a":{"source":"userProvided","dimensions":2}}}`,
		`{"embedders":{"b":{"source":"userProvided","dimensions":3},"a":{"distribution":{"mean":0.998,"sigma":0.01}}}}`)
	got := string(Append(nil, s, Features{}))
	for _, want := range []string{
		`"minWordSizeForTypos":{"oneTypo":2,"twoTypos":4}`, `"disableOnNumbers":false`, `"maxValuesPerFacet":9,"sortFacetValuesBy":{"*":"alpha"}`,
		`"embedders":{"a":{"source":"userProvided","dimensions":2,"distribution":{"mean":0.998,"sigma":0.01}},"b":{"source":"userProvided","dimensions":3}}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
	// Both are judged together: each alone would be refused.
	one, _ := parsePatch(`{"typoTolerance":{"minWordSizeForTypos":{"oneTypo":20}}}`, Features{})
	two, _ := parsePatch(`{"typoTolerance":{"minWordSizeForTypos":{"twoTypos":30}}}`, Features{})
	if _, err := Apply(Default(), []*Patch{one}, Env{}); err == nil || err.Code != CodeTypoTolerance {
		t.Errorf("oneTypo 20 alone: %v", err)
	}
	if _, err := Apply(Default(), []*Patch{one, two}, Env{}); err != nil {
		t.Errorf("both: %v", err)
	}
	one.Merge(two)
	if got := string(one.AppendJSON(nil, true)); got != `{"typoTolerance":{"minWordSizeForTypos":{"twoTypos":30}}}` {
		t.Errorf("batch details: %s", got)
	}
}

// Synchronous refusals: body, code, message.
func TestSettingsRefused(t *testing.T) {
	const mixed = "Mixed usage of the attribute, attributeRank, and wordPosition ranking rules. You must either use the attribute ranking rule alone or the attributeRank and wordPosition ranking rules."
	for _, c := range []struct{ body, code, message string }{
		{`null`, "bad_request", "Invalid value type: expected an object, but found null"},
		{`{"rankingRule":[]}`, "bad_request", "Unknown field `rankingRule`: did you mean `rankingRules`? expected one of `displayedAttributes`, `searchableAttributes`, `filterableAttributes`, `sortableAttributes`, `foreignKeys`, `rankingRules`, `stopWords`, `nonSeparatorTokens`, `separatorTokens`, `dictionary`, `synonyms`, `distinctAttribute`, `proximityPrecision`, `typoTolerance`, `faceting`, `pagination`, `embedders`, `searchCutoffMs`, `localizedAttributes`, `facetSearch`, `prefixSearch`, `chat`"},
		{`{"rankingRules":["doggo"]}`, "invalid_settings_ranking_rules", "Invalid value at `.rankingRules[0]`: `doggo` ranking rule is invalid. Valid ranking rules are words, typo, sort, proximity, attribute, exactness and custom ranking rules."},
		{`{"rankingRules":["_geoPoint(1,2):asc"]}`, "invalid_settings_ranking_rules", "Invalid value at `.rankingRules[0]`: `_geoPoint` is a reserved keyword and thus can't be used as a ranking rule. `_geoPoint` can only be used for sorting at search time"},
		{`{"rankingRules":["_geoRadius(1):asc"]}`, "invalid_settings_ranking_rules", "Invalid value at `.rankingRules[0]`: `_geoRadius` is a reserved keyword and thus can't be used as a ranking rule. `_geoRadius` can only be used for filtering at search time"},
		{`{"rankingRules":["_geo:asc"]}`, "invalid_settings_ranking_rules", "Invalid value at `.rankingRules[0]`: `_geo` is a reserved keyword and thus can't be used as a ranking rule"},
		{`{"rankingRules":["attribute","wordPosition"]}`, "invalid_settings_ranking_rules", mixed},
		{`{"filterableAttributes":[{"features":{}}]}`, "invalid_settings_filterable_attributes", "Missing field `attributePatterns` inside `.filterableAttributes[0]`"},
		{`{"filterableAttributes":[{"attributePatterns":[],"features":{"filter":{"equal":true}}}]}`, "invalid_settings_filterable_attributes", "Unknown field `equal` inside `.filterableAttributes[0].features.filter`: expected one of `equality`, `comparison`"},
		{`{"filterableAttributes":[{"attributePatterns":[],"features":{"sameobject":true}}]}`, "invalid_settings_filterable_attributes", "Unknown field `sameobject` inside `.filterableAttributes[0].features`: expected one of `facetSearch`, `filter`"},
		{`{"filterableAttributes":[{"attributePatterns":[],"features":{"sameObject":1}}]}`, "invalid_settings_filterable_attributes", "Invalid value type at `.filterableAttributes[0].features.sameObject`: expected a boolean, but found a positive integer: `1`"},
		{`{"filterableAttributes":[1,{"x":1}]}`, "invalid_settings_filterable_attributes", "Invalid value type at `.filterableAttributes[0]`: expected a string, but found a positive integer: `1`"},
		{`{"filterableAttributes":["a",{"x":1,"attributePatterns":2},1]}`, "invalid_settings_filterable_attributes", "Unknown field `x` inside `.filterableAttributes[1]`: expected one of `attributePatterns`, `features`"},
		{`{"filterableAttributes":[{"attributePatterns":2,"x":1}]}`, "invalid_settings_filterable_attributes", "Invalid value type at `.filterableAttributes[0].attributePatterns`: expected an array, but found a positive integer: `2`"},
		{`{"proximityPrecision":"byword"}`, "invalid_settings_proximity_precision", "Unknown value `byword` at `.proximityPrecision`: did you mean `byWord`? expected one of `byWord`, `byAttribute`"},
		{`{"typoTolerance":{"minWordSizeForTypos":{"oneTypo":256}}}`, "invalid_settings_typo_tolerance", "Invalid value at `.typoTolerance.minWordSizeForTypos.oneTypo`: value: `256` is too large to be deserialized, maximum value authorized is `255`"},
		{`{"typoTolerance":{"minWordSizeForTypos":{"oneTypo":9,"twoTypos":8}}}`, "invalid_settings_typo_tolerance", "Invalid value at `.typoTolerance.minWordSizeForTypos`: `minWordSizeForTypos` setting is invalid. `oneTypo` and `twoTypos` fields should be between `0` and `255`, and `twoTypos` should be greater or equals to `oneTypo` but found `oneTypo: 9` and twoTypos: 8`."},
		{`{"pagination":{"maxTotalHits":0}}`, "invalid_settings_pagination", "Invalid value at `.pagination.maxTotalHits`: a non-zero integer value lower than `18446744073709551615` was expected, but found a zero"},
		{`{"searchCutoffMs":-1}`, "invalid_settings_search_cutoff_ms", "Invalid value type at `.searchCutoffMs`: expected a positive integer, but found a negative integer: `-1`"},
		{`{"foreignKeys":[]}`, "feature_not_enabled", "setting `foreignKeys` in the index settings requires enabling the `foreign_keys` experimental feature. See https://github.com/orgs/meilisearch/discussions/873"},
		{`{"chat":{}}`, "feature_not_enabled", "setting `chat` in the index settings requires enabling the `chat completions` experimental feature. See https://github.com/orgs/meilisearch/discussions/835"},
		{`{"chat":{"limit":1}}`, "invalid_settings_index_chat", "Unknown field `limit` inside `.chat`: expected one of `description`, `documentTemplate`, `documentTemplateMaxBytes`, `searchParameters`"},
		{`{"embedders":{"a":{"source":"x"}}}`, "invalid_settings_embedders", "Unknown value `x` at `.embedders.a.source`: expected one of `openAi`, `huggingFace`, `ollama`, `userProvided`, `rest`, `composite`"},
		{`{"embedders":{"a":{"source":"userProvided"}}}`, "invalid_settings_embedders", "`.embedders.a`: Missing field `dimensions` (note: this field is mandatory for source `userProvided`)"},
		{`{"embedders":{"a":{"source":"userProvided","model":null,"dimensions":1}}}`, "invalid_settings_embedders", "`.embedders.a`: Field `model` unavailable for source `userProvided`.\n  - note: `model` is available for sources: `openAi`, `huggingFace`, `ollama`\n  - note: available fields for source `userProvided`: `source`, `dimensions`, `distribution`, `binaryQuantized`"},
		{`{"embedders":{"a":{"source":"userProvided","dimensions":0}}}`, "invalid_settings_embedders", "`.embedders.a.dimensions`: `dimensions` cannot be zero"},
		{`{"embedders":{"a":{"source":"rest","url":"x"}}}`, "invalid_settings_embedders", "`.embedders.a.url`: could not parse `x`: relative URL without a base"},
		{`{"embedders":{"a":{"source":"openAi","model":"gpt"}}}`, "invalid_settings_embedders", "`.embedders.a.model`: Invalid model `gpt` for OpenAI. Supported models: [\"text-embedding-ada-002\", \"text-embedding-3-small\", \"text-embedding-3-large\"]"},
		{`{"embedders":{"a":{"source":"openAi","model":"text-embedding-3-small","dimensions":1537}}}`, "invalid_settings_embedders", "`.embedders.a.dimensions`: Model `text-embedding-3-small` does not support overriding its dimensions to a value higher than 1536. Found 1537"},
		{`{"embedders":{"a":{"distribution":{"mean":2,"sigma":0.5}}}}`, "invalid_settings_embedders", "Invalid value at `.embedders.a.distribution`: the distribution mean must be in the range [0, 1], got 2"},
		{`{"embedders":{"a":{"distribution":{"mean":-1e300,"sigma":0.5}}}}`, "invalid_settings_embedders", "Invalid value at `.embedders.a.distribution`: the distribution mean must be in the range [0, 1], got -inf"},
		{`{"embedders":{"a":{"distribution":{"mean":0.5,"sigma":1.0000002}}}}`, "invalid_settings_embedders", "Invalid value at `.embedders.a.distribution`: the distribution sigma must be in the range ]0, 1], got 1.0000002"},
		{`{"embedders":{"a":{"searchFragments":{"s":{"nope":1}}}}}`, "invalid_settings_embedders", "Missing field `value` inside `.embedders.a.searchFragments.s`"},
		{`{"embedders":{"a":{"source":"composite"}}}`, "feature_not_enabled", "using `\"composite\"` as source requires enabling the `composite embedders` experimental feature. See https://github.com/orgs/meilisearch/discussions/816"},
		{`{"embedders":{"a":{"source":"rest","url":"http://x","request":{"a":["{{text}}","{{..}}"],"b":["{{text}}","{{..}}"]},"response":"{{embedding}}"}}}`, "vector_embedding_error",
			"Error while generating embeddings: user error: in `request.b`: Found \"{{..}}\", but it was already present in `request.a`\n  - Note: this template is using a document template, and so expects to contain the placeholder \"{{text}}\" rather than \"{{fragment}}\""},
		{`{"embedders":{"a":{"source":"rest","url":"http://x","request":"{{text}}","response":{"data":["{{embedding}}","{{..}}"]}}}}`, "vector_embedding_error",
			"Error while generating embeddings: user error: in `response`: `response` has multiple embeddings, but `request` has only one text to embed"},
		{`{"embedders":{"a":{"request":"{{text}}","response":{}}}}`, "vector_embedding_error", "Error while generating embeddings: user error: in `response`: \"{{embedding}}\" not found"},
	} {
		_, err := parsePatch(c.body, Features{})
		if err == nil {
			t.Errorf("%s: accepted", c.body)
		} else if err.Code.Name != c.code || err.Message != c.message {
			t.Errorf("%s:\n got %s: %s\nwant %s: %s", c.body, err.Code.Name, err.Message, c.code, c.message)
		}
	}
	_, err := parsePatch(`{"localizedAttributes":[{"attributePatterns":[],"locales":["zzz"]}]}`, Features{})
	if err == nil || !strings.HasPrefix(err.Message, "Unknown value `zzz` at `.localizedAttributes[0].locales[0]`: expected one of `af`, `ak`,") || !strings.HasSuffix(err.Message, "`zul`, `cmn`") {
		t.Errorf("locale: %v", err)
	}
}

// Refusals of the task: settings before, body, message.
func TestSettingsTaskRefused(t *testing.T) {
	rest := func(members string) string {
		return `{"embedders":{"a":{"source":"rest","url":"http://x","dimensions":2,` + members + `}}}`
	}
	for _, c := range []struct{ before, body, message string }{
		{`{}`, `{"typoTolerance":{"minWordSizeForTypos":{"twoTypos":4}}}`, "`minWordSizeForTypos` setting is invalid. `oneTypo` and `twoTypos` fields should be between `0` and `255`, and `twoTypos` should be greater or equals to `oneTypo` but found `oneTypo: 5` and twoTypos: 4`."},
		{`{"embedders":{"a":{"source":"userProvided","dimensions":2}}}`, `{"embedders":{"a":{"revision":"x"}}}`, "`.embedders.a`: Field `revision` unavailable for source `userProvided`.\n  - note: `revision` is available for sources: `huggingFace`\n  - note: available fields for source `userProvided`: `source`, `dimensions`, `distribution`, `binaryQuantized`"},
		{`{"embedders":{"a":{"source":"userProvided","dimensions":2,"binaryQuantized":true}}}`, `{"embedders":{"a":{"binaryQuantized":false}}}`, "`.embedders.a.binaryQuantized`: Cannot disable the binary quantization.\n - Note: Binary quantization is a lossy operation that cannot be reverted.\n - Hint: Add a new embedder that is non-quantized and regenerate the vectors."},
		{`{"embedders":{"a":{"source":"userProvided","dimensions":2}}}`, `{"embedders":{"a":{"dimensions":null}}}`, "`.embedders.a`: Missing field `dimensions` (note: this field is mandatory for source `userProvided`)"},
		// Request and response are checked with what is there, for which a change alone may do.
		{rest(`"request":["{{text}}","{{..}}"],"response":["{{embedding}}","{{..}}"]`), `{"embedders":{"a":{"response":"{{embedding}}"}}}`,
			"Error while generating embeddings: user error: in `response`: `response` has a single embedding, but `request` has multiple texts to embed"},
		{rest(`"request":"{{text}}","response":"{{embedding}}"`), `{"embedders":{"a":{"request":"{{fragment}}"}}}`,
			"Error while generating embeddings: user error: in `request`: \"{{text}}\" not found\n  - Note: this template is using a document template, and so expects to contain the placeholder \"{{text}}\" rather than \"{{fragment}}\""},
		{rest(`"request":"{{fragment}}","response":"{{embedding}}","indexingFragments":{"i":{"value":1}},"searchFragments":{"s":{"value":2}}`), `{"embedders":{"a":{"request":"{{text}}"}}}`,
			"Error while generating embeddings: user error: in `request`: \"{{fragment}}\" not found\n  - Note: this template is using fragments, and so expects to contain the placeholder \"{{fragment}}\" rathern than \"{{text}}\""},
		{rest(`"request":"{{fragment}}","response":"{{embedding}}","indexingFragments":{"i":{"value":1}},"searchFragments":{"s":{"value":2}}`), `{"embedders":{"a":{"indexingFragments":{"i":null}}}}`,
			"Error while generating embeddings: user error: inconsistent fragments: `indexingFragments` is empty, but `searchFragments` declares 1 fragments: s\n  - Hint: declare at least one fragment in `indexingFragments` or remove fragments from `searchFragments` by setting them to `null`"},
		{`{}`, `{"embedders":{"a":{"response":{}}}}`, "`.embedders.a`: Field `response` unavailable for source `openAi`.\n  - note: `response` is available for sources: `rest`\n  - note: available fields for source `openAi`: `source`, `model`, `apiKey`, `dimensions`, `documentTemplate`, `documentTemplateMaxBytes`, `url`, `distribution`, `binaryQuantized`"},
		{`{}`, `{"embedders":{"a":{"indexingFragments":{}}}}`, "`.embedders.a`: Field `indexingFragments` unavailable for source `openAi`.\n  - note: `indexingFragments` is available for sources: `rest`\n  - note: available fields for source `openAi`: `source`, `model`, `apiKey`, `dimensions`, `documentTemplate`, `documentTemplateMaxBytes`, `url`, `distribution`, `binaryQuantized`"},
		// What depends on stored members is checked with the task.
		{`{}`, `{"embedders":{"a":{"source":"openAi","dimensions":1537}}}`, "`.embedders.a.dimensions`: Model `text-embedding-3-small` does not support overriding its dimensions to a value higher than 1536. Found 1537"},
		{rest(`"request":"{{text}}","response":"{{embedding}}"`), `{"embedders":{"a":{"documentTemplateMaxBytes":0}}}`, "`.embedders.a.documentTemplateMaxBytes`: `documentTemplateMaxBytes` cannot be zero"},
		{`{}`, `{"chat":{"documentTemplateMaxBytes":0}}`, "`.chat.documentTemplateMaxBytes`: `documentTemplateMaxBytes` cannot be zero"},
	} {
		p, err := parsePatch(c.body, Features{ChatCompletions: true, Multimodal: true})
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		if _, err = Apply(change(t, Default(), c.before), []*Patch{p}, Env{}); err == nil || err.Message != c.message {
			t.Errorf("%s: %v", c.body, err)
		}
	}
}

// Fragments that a change does not name stay, and the request is checked with them.
func TestARequestChangesWithoutItsFragments(t *testing.T) {
	s := change(t, Default(),
		`{"embedders":{"a":{"source":"rest","url":"http://x","dimensions":2,"request":"{{fragment}}","response":"{{embedding}}","indexingFragments":{"i":{"value":1}},"searchFragments":{"s":{"value":2}}}}}`,
		`{"embedders":{"a":{"request":{"r":"{{fragment}}"}}}}`, `{"embedders":{"a":{"indexingFragments":{"none":null}}}}`)
	for _, part := range []string{`"request":{"r":"{{fragment}}"}`, `"indexingFragments":{"i":{"value":1}}`, `"searchFragments":{"s":{"value":2}}`} {
		if got := string(s.Embedders["a"]); !strings.Contains(got, part) {
			t.Errorf("%s: no %s", got, part)
		}
	}
}

func TestSettingsEffect(t *testing.T) {
	for _, c := range []struct{ before, body, effect string }{
		{`{}`, `{"stopWords":["a"]}`, "text"},
		{`{}`, `{"searchableAttributes":["a"]}`, "text"},
		{`{"searchableAttributes":["a","b"]}`, `{"searchableAttributes":["b","a"]}`, ""},
		{`{}`, `{"filterableAttributes":["a"]}`, "facet"},
		{`{"filterableAttributes":[{"attributePatterns":["a"]}]}`, `{"filterableAttributes":[{"attributePatterns":["a"],"features":{"sameObject":true}}]}`, "facet"},
		{`{}`, `{"rankingRules":["words","a:asc"]}`, "facet"},
		{`{}`, `{"rankingRules":["words"],"synonyms":{"a":["b"]},"displayedAttributes":["a"],"pagination":{"maxTotalHits":3},"typoTolerance":{"enabled":false}}`, ""},
		{`{}`, `{"localizedAttributes":[]}`, ""},
		{`{}`, `{"localizedAttributes":[{"attributePatterns":["*"],"locales":["jpn"]}]}`, "text facet"},
		{`{}`, `{"embedders":{"a":{"source":"userProvided","dimensions":2}}}`, "vector"},
		{`{"embedders":{"a":{"source":"userProvided","dimensions":2}}}`, `{"embedders":{"a":{"distribution":{"mean":0.5,"sigma":0.5}}}}`, ""},
		{`{"embedders":{"a":{"source":"userProvided","dimensions":2}}}`, `{"embedders":null}`, "vector"},
	} {
		before := change(t, Default(), c.before)
		text, facet, vector := Effect(before, change(t, before, c.body))
		var got []string
		for name, on := range map[string]bool{"text": text, "facet": facet, "vector": vector} {
			if on {
				got = append(got, name)
			}
		}
		if len(got) != len(strings.Fields(c.effect)) {
			t.Errorf("%s then %s: %v", c.before, c.body, got)
		}
		for _, want := range strings.Fields(c.effect) {
			if !strings.Contains(strings.Join(got, " "), want) {
				t.Errorf("%s then %s: %v", c.before, c.body, got)
			}
		}
	}
}

// An accepted body can be applied, or is refused with an error of the client. It reads back
// from a task unchanged, and the resulting settings survive storage.
func FuzzSettingsPatch(f *testing.F) {
	for _, s := range []string{
		`{"embedders":{"a":{"source":"rest","url":"http://x","request":["{{text}}","{{..}}"],"response":["{{embedding}}","{{..}}"],"headers":{"a":"b"}}}}`,
		`{"embedders":{"a":{"source":"composite","searchEmbedder":{"source":"ollama","model":"m","apiKey":"k"},"indexingEmbedder":{"source":"rest"}}}}`,
		`{"filterableAttributes":[{"attributePatterns":["a"]},"b"],"typoTolerance":{"minWordSizeForTypos":{"oneTypo":3}},"chat":{"searchParameters":{"limit":1}}}`,
		`{"localizedAttributes":[{"attributePatterns":[],"locales":["fr"]}],"synonyms":{"a":["b"]},"faceting":{"sortFacetValuesBy":{"a":"count"}}}`,
	} {
		f.Add(s)
	}
	all := Features{ChatCompletions: true, ForeignKeys: true, CompositeEmbedders: true, Multimodal: true}
	f.Fuzz(func(t *testing.T, body string) {
		p, refused := parsePatch(body, all)
		if refused != nil {
			if refused.Code.Status >= 500 || refused.Message == "" {
				t.Fatalf("%q: %v", body, refused)
			}
			return
		}
		stored, again := p.AppendJSON(nil, false), &Patch{}
		if err := json.Unmarshal(stored, again); err != nil || string(again.AppendJSON(nil, false)) != string(stored) {
			t.Fatalf("%q: stored as %s: %v", body, stored, err)
		}
		s, refused := Apply(Default(), []*Patch{p, again}, Env{})
		if refused != nil {
			if refused.Code.Status >= 500 {
				t.Fatalf("%q: %v", body, refused)
			}
			return
		}
		data, err := json.Marshal(s)
		back := &Settings{}
		if err == nil {
			err = json.Unmarshal(data, back)
		}
		if err != nil || string(Append(nil, s, all)) != string(Append(nil, back, all)) {
			t.Fatalf("%q: %v\n%s\n%s", body, err, Append(nil, s, all), Append(nil, back, all))
		}
		if text, facet, vector := Effect(s, back); text || facet || vector {
			t.Fatalf("%q: storing changes %v %v %v", body, text, facet, vector)
		}
	})
}

func TestChatTemplateIsChecked(t *testing.T) {
	patch, refused := parsePatch(`{"chat":{"documentTemplate":"{{ broken"}}`, Features{ChatCompletions: true})
	if refused != nil {
		t.Fatal(refused)
	}
	_, err := Apply(Default(), []*Patch{patch}, Env{Templates: Templates{Text: func(string) error { return errors.New("no end") }}})
	if err == nil || err.Code != apierr.CodeInvalidChatSettingDocumentTemplate || err.Message != "`.chat.documentTemplate`: Invalid document template: user error: cannot parse template: no end." {
		t.Errorf("%v", err)
	}
}

func TestEverySettingIsDescribed(t *testing.T) {
	for _, s := range Table() {
		if d := s.Describe(); d.Code.Name == "" || !slices.Contains(d.Kinds, jsonvalue.KindNull) || len(d.Kinds) < 2 {
			t.Errorf("%s: %+v", s.Name, d)
		}
	}
}

// Numbers beyond 2^63-1, which some clients send for "no limit", were shown as 2^63-1.
func TestLimitsAreShownAsTheyWereWritten(t *testing.T) {
	s := Default()
	for _, n := range []string{"9223372036854775807", "9223372036854775808", "18446744073709551615", "5"} {
		s = change(t, s, `{"pagination":{"maxTotalHits":`+n+`},"faceting":{"maxValuesPerFacet":`+n+`}}`)
		shown := string(Append(nil, s, Features{}))
		if !strings.Contains(shown, `"maxTotalHits":`+n+`}`) || !strings.Contains(shown, `"maxValuesPerFacet":`+n+`,`) {
			t.Errorf("%s: shown %s", n, shown)
		}
		if s.MaxTotalHits < 5 || s.MaxValuesPerFacet < 5 {
			t.Errorf("%s: %d hits, %d values", n, s.MaxTotalHits, s.MaxValuesPerFacet)
		}
	}
	s = change(t, s, `{"pagination":null,"faceting":null}`)
	if s.MaxTotalHits != 1000 || s.ShownTotalHits != 0 || s.MaxValuesPerFacet != 100 || s.ShownValuesPerFacet != 0 {
		t.Errorf("after a reset: %+v", s)
	}
}
