package text

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"shoal/text/language"
)

// TestLanguageScript plays testdata/languages.txt: text in, tokens out. A word is shown
// as <lemma>, a stop word as <lemma>s, separators with ~ (soft) or ! (hard); below
// it script and language of each stretch.
//
//	text [locales=(jpn,…)] [stop=(…)] [dictionary=(…)]
func TestLanguageScript(t *testing.T) {
	datadriven.RunTest(t, "testdata/languages.txt", func(t *testing.T, d *datadriven.TestData) string {
		var o Options
		if a, ok := d.Arg("stop"); ok {
			o.StopWords = a.Vals
		}
		if a, ok := d.Arg("dictionary"); ok {
			o.Dictionary = a.Vals
		}
		tokenizer := New(o)
		if a, ok := d.Arg("locales"); ok {
			var locales []language.Language
			for _, code := range a.Vals {
				l, ok := language.ParseLanguage(code)
				if !ok {
					d.Fatalf(t, "no language %s", code)
				}
				locales = append(locales, l)
			}
			tokenizer = tokenizer.WithLocales(locales)
		}
		var b strings.Builder
		for line := range strings.Lines(d.Input) {
			line = strings.TrimSuffix(line, "\n")
			fmt.Fprintf(&b, "%s\n", show(tokenizer, line))
			var kinds []string
			for token := range tokenizer.Tokenize(line) {
				kind := token.Script.String()
				if token.Language != 0 {
					kind += " " + token.Language.Code()
				}
				if !token.Kind.IsSeparator() && (len(kinds) == 0 || kinds[len(kinds)-1] != kind) {
					kinds = append(kinds, kind)
				}
			}
			fmt.Fprintf(&b, "  %s\n", strings.Join(kinds, ", "))
		}
		return b.String()
	})
}
