package language

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// of detects the language of a text of one group, given a list of codes; "-" is no list.
func of(t *testing.T, text, codes string) Language {
	t.Helper()
	var locales []Language
	if codes != "-" {
		locales = ParseLanguages(strings.FieldsFunc(codes, func(r rune) bool { return r == ',' }))
	}
	var c Census
	if n := c.Take(text); n != len(text) {
		t.Fatalf("%q has more than one group", text)
	}
	return Of(c.Winner(), text, &c, locales)
}

// TestLatinTextHasTheLanguageOfItsLettersAndTrigrams: the values are those of the detector
// of the reference.
func TestLatinTextHasTheLanguageOfItsLettersAndTrigrams(t *testing.T) {
	for _, c := range []struct{ locales, text, want string }{
		{"swe,deu", "Hållbarhet", "swe"},
		{"swe,deu", "hallbarhet", "swe"},
		{"deu,eng", "Island", "eng"},
		{"swe,ces", "Göteborg", "swe"}, // trigrams alone say Czech
		{"swe,ces", "Plzeň", "ces"},
		{"swe,deu,eng", "the island", "eng"},
		{"swe,deu,eng", "Sjörövare på ön", "swe"},
		{"deu,fra", "Le garçon mange une pomme", "fra"},
		{"deu,lat,slk,cat", "L'estació de tren és tancada", "cat"},
		{"deu,slk", "Čo robíš dnes večer", "slk"},
		{"deu,tur", "İİİİ", "tur"}, // two characters each in lower case
		{"swe,uzb", "w", "swe"},    // no letter of Uzbek
		{"deu,swe", "zz", "deu"},   // a tie
		{"eng,deu", "a", "eng"},    // a tie
		{"fra,deu", "Straßenbahnhaltestelle", "deu"},
		{"deu,fin", "Die Würde des Menschen ist unantastbar. Sie zu achten und zu schützen ist Verpflichtung aller staatlichen Gewalt.", "deu"},
		{"ces,fra", "Göteborg", "none"}, // none of them is cut or folded in a way of its own
	} {
		turned := strings.Split(c.locales, ",")
		slices.Reverse(turned)
		for _, locales := range []string{c.locales, strings.Join(turned, ",")} {
			if got := of(t, c.text, locales); got.String() != c.want {
				t.Errorf("%q among %s is %s, not %s", c.text, locales, got, c.want)
			}
		}
	}
}

// An empty list of languages still is a list.
func TestNothingAllowedIsNotEverythingAllowed(t *testing.T) {
	for _, c := range []struct{ text, without, empty string }{
		{"الكتاب", "ara", "none"},
		{"東京", "cmn", "jpn"},
		{"ありがとう", "jpn", "jpn"},
		{"Göteborg", "none", "none"},
		{"서울", "none", "none"},
	} {
		if got := of(t, c.text, "-"); got.String() != c.without {
			t.Errorf("%s without a list is %s, not %s", c.text, got, c.without)
		}
		if got := of(t, c.text, ""); got.String() != c.empty {
			t.Errorf("%s with an empty list is %s, not %s", c.text, got, c.empty)
		}
	}
	for _, c := range []struct{ text, locales, want string }{
		{"東京", "eng,fra", "jpn"}, {"東京", "eng,zho", "cmn"}, {"العربية", "eng,fra", "none"}, {"کتاب", "eng,pes", "pes"},
		{"کتاب", "ara,pes", "ara"}, {"کتاب", "urd,pes", "urd"}, {"東京", "eng", "eng"},
	} {
		if got := of(t, c.text, c.locales); got.String() != c.want {
			t.Errorf("%s among %s is %s, not %s", c.text, c.locales, got, c.want)
		}
	}
}

// TestScoresOfLanguagesAreTheSameOnAllProcessors compares the score that decides with the
// one whose steps are rounded one by one.
func TestScoresOfLanguagesAreTheSameOnAllProcessors(t *testing.T) {
	for n := 1; n < 400; n++ {
		for hits := 0; hits <= n; hits += 3 {
			weight := letterWeight(n)
			product := float64(hits) / float64(n)
			product *= weight
			rest := 1 - weight
			rest *= 0.3
			if want := product + rest; math.Float64bits(want) != math.Float64bits(languageScore(n, hits, 0.3)) {
				t.Fatalf("%d of %d: %v, want %v", hits, n, languageScore(n, hits, 0.3), want)
			}
		}
	}
	for n, want := range map[int]float64{0: 2.0 / 3, 50: 0.5, 100: 1.0 / 3, 200: 1.0 / 3} {
		if got := letterWeight(n); got != want {
			t.Errorf("with %d characters letters weigh %v, not %v", n, got, want)
		}
	}
}
