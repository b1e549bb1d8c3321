package text

import (
	"testing"

	"shoal/text/dictionary"
)

func TestJapanese(t *testing.T) {
	useDictionary(t, dictionary.Japanese)
	tk := New(Options{Dictionaries: dictionary.Japanese})
	for _, c := range []struct{ in, want string }{
		{"関西国際空港限定トートバッグ", "関西|国際|空港|限定|とうと|は\u3099っく\u3099"},
		{"すもももももももものうち", "すもも|も|もも|も|もも|の|うち"},
		{"コーヒー", "こうひい"},
		{"スーパーマン", "すうは\u309aーまん"},
	} {
		check(t, tk, c.in)
		if got := words(tk, c.in); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
	check(t, tk, "ｶﾞｷﾞ の 123 abc")
}
