package prompt

import (
	"strings"
	"testing"

	"shoal/api/settings"
)

// Templates inside of settings are compiled before a task is made, the one of
// chats when the settings are applied (spec write-api 12.5, 13.4).
func TestTemplatesInSettings(t *testing.T) {
	all := settings.Features{Multimodal: true, ChatCompletions: true}
	rest := func(rest string) string {
		return `{"embedders":{"a":{"source":"rest","url":"http://h/","dimensions":3,"response":"{{embedding}}",` + rest + `}}}`
	}
	for body, want := range map[string]string{
		rest(`"request":"{{text}}","documentTemplate":"{{ doc.a | upcase }}"`):                                                                 "",
		rest(`"request":"{{text}}","documentTemplate":"{{ doc.a"`):                                                                             "`.embedders.a.documentTemplate`: Invalid template: user error: cannot parse template: liquid: ",
		rest(`"request":"{{text}}","documentTemplate":"{% includes 'x' %}"`):                                                                   "`.embedders.a.documentTemplate`: Invalid template: user error: cannot parse template: liquid: ",
		rest(`"request":"{{fragment}}","indexingFragments":{"x":{"value":{"a":["{{ doc.a }}"]}}},"searchFragments":{"y":{"value":"{{ q }}"}}`): "",
		rest(`"request":"{{fragment}}","indexingFragments":{"x":{"value":{"a":["{% if %"]}}},"searchFragments":{"y":{"value":"{{ q }}"}}`):     "Error while generating embeddings: user error: in ``.indexingFragments.x.a[0]``, error while parsing template: liquid: ",
		rest(`"request":"{{fragment}}","indexingFragments":{"x":{"value":"{% for %}"}},"searchFragments":{"y":{"value":"{{ q }}"}}`):           "Error while generating embeddings: user error: error while parsing template: liquid: ",
		`{"chat":{"documentTemplate":"{{ doc.a }}"}}`:                                                                                          "",
		`{"chat":{"documentTemplate":"{% bad %}"}}`:                                                                                            "`.chat.documentTemplate`: Invalid document template: user error: cannot parse template: liquid: ",
	} {
		p := &settings.Patch{}
		if err := p.UnmarshalJSON([]byte(body)); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		refused := p.CheckSync(all, Check())
		if refused == nil {
			_, refused = settings.Apply(settings.Default(), []*settings.Patch{p}, settings.Env{Templates: Check()})
		}
		switch {
		case want == "" && refused != nil:
			t.Errorf("%s: %v", body, refused)
		case want != "" && (refused == nil || !strings.Contains(refused.Message, want)):
			t.Errorf("%s: %v", body, refused)
		}
	}
}
