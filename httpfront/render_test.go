package httpfront

import (
	"encoding/json"
	"strings"
	"testing"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
)

// TestRenderTemplate checks the answers for templates of every kind, and how requests are
// refused.
func TestRenderTemplate(t *testing.T) {
	current := settings.Default()
	current.Embedders = map[string]json.RawMessage{
		"plain":     []byte(`{"source":"ollama","model":"m","documentTemplate":"{{ doc.id }}!"}`),
		"fragments": []byte(`{"source":"rest","url":"http://a","indexingFragments":{"f":{"value":{"text":"{{ doc.id }}"}}},"searchFragments":{"s":{"value":"{{ q }}"}}}`),
		"users":     []byte(`{"source":"userProvided","dimensions":2}`),
	}
	store := &fakeStore{settings: map[string]*settings.Settings{"movies": current}}
	s := store.front(settings.Features{RenderRoute: true, Multimodal: true, ChatCompletions: true})
	for _, c := range []struct{ body, want string }{
		{`{"template":{"kind":"inlineDocumentTemplate","inline":"a {{ doc.name }}"}}`, `{"template":"a {{ doc.name }}","rendered":null}`},
		{`{"template":{"kind":"inlineDocumentTemplate","inline":"a {{ doc.name }}"},"input":{"kind":"inlineDocument","inline":{"name":"Iko"}}}`,
			`{"template":"a {{ doc.name }}","rendered":"a Iko"}`},
		{`{"template":{"kind":"documentTemplate","indexUid":"movies","embedder":"plain"},"input":{"kind":"indexDocument","indexUid":"movies","id":"7"}}`,
			`{"template":"{{ doc.id }}!","rendered":"7!"}`},
		{`{"template":{"kind":"indexingFragment","indexUid":"movies","embedder":"fragments","fragment":"f"},"input":{"kind":"indexDocument","indexUid":"movies","id":"7"}}`,
			`{"template":{"text":"{{ doc.id }}"},"rendered":{"text":"7"}}`},
		{`{"template":{"kind":"searchFragment","indexUid":"movies","embedder":"fragments","fragment":"s"},"input":{"kind":"inlineSearch","inline":{"q":"dog"}}}`,
			`{"template":"{{ q }}","rendered":"dog"}`},
		{`{"template":{"kind":"inlineFragment","inline":["{{ doc.a }}",1]},"input":{"kind":"inlineDocument","inline":{"a":true}}}`,
			`{"template":["{{ doc.a }}",1],"rendered":["true",1]}`},
		{`{"template":{"kind":"chatDocumentTemplate","indexUid":"movies"}}`,
			`{"template":` + string(jsonvalue.AppendString(nil, settings.DefaultDocumentTemplate)) + `,"rendered":null}`},

		{`{}`, "bad_request: Missing field `template`"},
		{`{"template":{}}`, "invalid_render_template: Missing field `kind` inside `.template`"},
		{`{"template":{"kind":"x"}}`, "invalid_render_template: Unknown value `x` at `.template.kind`: expected one of `documentTemplate`, `chatDocumentTemplate`, `indexingFragment`, `searchFragment`, `inlineDocumentTemplate`, `inlineFragment`"},
		{`{"template":{"kind":"documentTemplate"}}`, "invalid_render_template: error while fetching template: parameter `index_uid` missing for kind `documentTemplate`"},
		{`{"template":{"kind":"documentTemplate","inline":"x"}}`, "invalid_render_template: error while fetching template: parameter `inline` disallowed for kind `documentTemplate`"},
		{`{"template":{"kind":"documentTemplate","indexUid":"none","embedder":"a"}}`, "index_not_found: error while fetching template: cannot open index `none`: Index `none` not found."},
		{`{"template":{"kind":"documentTemplate","indexUid":"movies","embedder":"a"}}`, "invalid_render_template: error while fetching template: cannot find embedder `a` in index `movies`"},
		{`{"template":{"kind":"documentTemplate","indexUid":"movies","embedder":"users"}}`, "invalid_render_template: error while fetching template: embedder `users` in index `movies` does not use a document template."},
		{`{"template":{"kind":"searchFragment","indexUid":"movies","embedder":"plain","fragment":"f"}}`, "invalid_render_template: error while fetching template: embedder `plain` in index `movies` does not use fragments."},
		{`{"template":{"kind":"searchFragment","indexUid":"movies","embedder":"fragments","fragment":"f"}}`, "invalid_render_template: error while fetching template: cannot find search fragment `f` for embedder `fragments` in index `movies`"},
		{`{"template":{"kind":"inlineDocumentTemplate","inline":1}}`, "invalid_render_template: error while fetching template: inline document templates must be strings"},
		{`{"template":{"kind":"inlineDocumentTemplate","inline":"x"},"input":{"kind":"indexDocument","indexUid":"movies","id":"none"}}`,
			"render_document_not_found: error while fetching input: document `none` not found in `movies`"},
		{`{"template":{"kind":"inlineDocumentTemplate","inline":"x"},"input":{"kind":"indexDocument","indexUid":"none","id":"1"}}`, "index_not_found: Cannot open index `none`: Index `none` not found."},
		{`{"template":{"kind":"inlineDocumentTemplate","inline":"x"},"input":{"kind":"inlineDocument"}}`, "invalid_render_input: error while fetching input: parameter `inline` missing for kind `inlineDocument`"},
		{`{"template":{"kind":"inlineDocumentTemplate","inline":"x"},"input":{"kind":"inlineSearch","inline":{"q":"a"}}}`, "template_rendering_error: error while rendering template: cannot render a document template with a search query"},
		{`{"template":{"kind":"inlineDocumentTemplate","inline":"{{ doc.a }}"},"input":{"kind":"inlineDocument","inline":{"b":1}}}`,
			"template_rendering_error: error while rendering template: user error: missing field in document: liquid: Unknown index\n  with:\n    variable=doc\n    requested index=a\n    available indexes=b\n"},
	} {
		w := call(t, s, "POST", "/render-template", c.body)
		got := w.Body.String()
		if !strings.HasPrefix(c.want, "{") {
			var e struct{ Code, Message string }
			if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil {
				t.Fatal(err)
			}
			got = e.Code + ": " + e.Message
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.body, got, c.want)
		}
	}
	closed := store.front(settings.Features{RenderRoute: true})
	expectError(t, call(t, closed, "POST", "/render-template", `{"template":{"kind":"inlineFragment","inline":"x"}}`), 400, apierr.CodeFeatureNotEnabled,
		"error while fetching template: rendering an inline fragment requires enabling the `multimodal` experimental feature. See https://github.com/orgs/meilisearch/discussions/846")
}
