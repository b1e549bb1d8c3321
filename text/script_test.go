package text

import (
	"testing"

	"shoal/text/language"
)

func TestLanguageOfGroups(t *testing.T) {
	for _, c := range []struct {
		locales []language.Language
		in      string
		want    language.Language
	}{
		{nil, "hello world", language.NoLanguage},
		{[]language.Language{language.Eng}, "hello world", language.Eng},
		{[]language.Language{language.Swe, language.Eng}, "det var en gång en flicka som bodde i skogen", language.Swe},
		{[]language.Language{language.Swe, language.Eng}, "once upon a time there was a girl in the forest", language.Eng},
		{[]language.Language{language.Deu, language.Eng}, "once upon a time", language.Eng},
		{[]language.Language{language.Fra, language.Eng}, "once upon a time", language.NoLanguage},
		{nil, "進撃の巨人", language.Jpn},
		{nil, "巨人", language.Cmn},
		{nil, "ワンピース", language.Jpn},
		{[]language.Language{language.Jpn, language.Eng}, "巨人", language.Jpn},
		{[]language.Language{language.Eng}, "巨人", language.Eng},
		{nil, "وهو من المدن التي في البلاد", language.Ara},
		{nil, "این یک متن است که در آن می‌خوانید و آن را دارد", language.Pes},
		{nil, "ہر شخص کو اس کا حق ہے اور یہ بھی", language.Urd},
		{[]language.Language{language.Eng, language.Deu}, "البلاد", language.NoLanguage},
		{nil, "한국", language.NoLanguage},
	} {
		for tok := range New(Options{Locales: c.locales}).Tokenize(c.in) {
			if tok.Language != c.want {
				t.Errorf("%v %s: %v, want %v", c.locales, c.in, tok.Language, c.want)
			}
			break
		}
	}
}

func TestScripts(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []language.Script
	}{
		{"123 abc дом", []language.Script{language.ScriptLatin, language.ScriptLatin, language.ScriptLatin, language.ScriptLatin, language.ScriptCyrillic}},
		{"東京«大»", []language.Script{language.ScriptCj, language.ScriptCj, language.ScriptLatin, language.ScriptCj, language.ScriptLatin}},
		{"42", []language.Script{language.ScriptOther}},
		{"Ա", []language.Script{language.ScriptArmenian}},
		{"ᴫ", []language.Script{language.ScriptLatin}},
	} {
		var got []language.Script
		for tok := range Default.Tokenize(c.in) {
			got = append(got, tok.Script)
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v", c.in, got)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", c.in, got, c.want)
				break
			}
		}
	}
}
