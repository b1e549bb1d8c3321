package query

import (
	"testing"

	"shoal/api/settings"
	"shoal/text/language"
)

// A list of languages changes the tokenizer; no list does not.
func TestOnlyNamedLanguagesChangeTheTokenizer(t *testing.T) {
	l := NewLexis(&settings.Settings{}, 0)
	japanese, ok := language.ParseLanguage("jpn")
	if !ok {
		t.Fatal("no Japanese")
	}
	if l.Tokenizer(nil) != l.Tokenizer([]language.Language{}) {
		t.Error("an empty list made another tokenizer")
	}
	if l.Tokenizer(nil) == l.Tokenizer([]language.Language{japanese}) {
		t.Error("a language did not change the tokenizer")
	}
}
