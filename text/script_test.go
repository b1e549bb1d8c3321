package text

import "testing"

func TestLanguageOfGroups(t *testing.T) {
	for _, c := range []struct {
		locales []Language
		in      string
		want    Language
	}{
		{nil, "hello world", NoLanguage},
		{[]Language{Eng}, "hello world", Eng},
		{[]Language{Swe, Eng}, "det var en gång en flicka som bodde i skogen", Swe},
		{[]Language{Swe, Eng}, "once upon a time there was a girl in the forest", Eng},
		{[]Language{Deu, Eng}, "once upon a time", Eng},
		{[]Language{Fra, Eng}, "once upon a time", NoLanguage},
		{nil, "進撃の巨人", Jpn},
		{nil, "巨人", Cmn},
		{nil, "ワンピース", Jpn},
		{[]Language{Jpn, Eng}, "巨人", Jpn},
		{[]Language{Eng}, "巨人", Eng},
		{nil, "وهو من المدن التي في البلاد", Ara},
		{nil, "این یک متن است که در آن می‌خوانید و آن را دارد", Pes},
		{nil, "ہر شخص کو اس کا حق ہے اور یہ بھی", Urd},
		{[]Language{Eng, Deu}, "البلاد", NoLanguage},
		{nil, "한국", NoLanguage},
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
		want []Script
	}{
		{"123 abc дом", []Script{ScriptLatin, ScriptLatin, ScriptLatin, ScriptLatin, ScriptCyrillic}},
		{"東京«大»", []Script{ScriptCj, ScriptCj, ScriptLatin, ScriptCj, ScriptLatin}},
		{"42", []Script{ScriptOther}},
		{"Ա", []Script{ScriptArmenian}},
		{"ᴫ", []Script{ScriptLatin}},
	} {
		var got []Script
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
