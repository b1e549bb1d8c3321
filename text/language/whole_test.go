package language

import "testing"

// TestEquallyFrequentScriptsWinByTheOrderOfTheirLetters: the values are those of the
// detector of the reference. The script of the smaller number won every tie.
func TestEquallyFrequentScriptsWinByTheOrderOfTheirLetters(t *testing.T) {
	for _, c := range []struct {
		text string
		want Script
	}{
		{"", ScriptOther}, {"12 - 34", ScriptOther}, {"a12345", ScriptLatin},
		{"яa", ScriptLatin}, {"aя", ScriptCyrillic}, {"яaaя", ScriptCyrillic}, {"aяяa", ScriptLatin}, {"aaяя", ScriptCyrillic},
		{"aب", ScriptLatin}, {"aaبب", ScriptArabic}, {"aa日日", ScriptLatin}, {"aaa日日日", ScriptCj},
		{"日ひ한", ScriptCj}, {"한日ひ", ScriptCj}, {"日ひひ한한", ScriptHangul}, {"한한ひひ日", ScriptHangul},
		{"Աក", ScriptKhmer}, {"កԱ", ScriptKhmer}, {"ԱԱក", ScriptArmenian}, {"កԱԱក", ScriptKhmer}, {"កកԱԱԱក", ScriptKhmer},
	} {
		if got, _ := Whole(c.text); got != c.want {
			t.Errorf("%q is %v, want %v", c.text, got, c.want)
		}
	}
}
