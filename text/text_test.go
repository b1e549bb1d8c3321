package text

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"shoal/text/language"
)

// show renders tokens as lemma/kind-letter, words without a letter.
func show(t *Tokenizer, text string) string {
	var out []string
	for tok := range t.Tokenize(text) {
		switch tok.Kind {
		case Word:
			out = append(out, "<"+tok.Lemma+">")
		case StopWord:
			out = append(out, "<"+tok.Lemma+">s")
		case SeparatorSoft:
			out = append(out, tok.Lemma+"~")
		case SeparatorHard:
			out = append(out, tok.Lemma+"!")
		}
	}
	return strings.Join(out, " ")
}

// TestTokens: spec ranking 1.4, 1.6, 1.7 and appendix C4, C5.
func TestTokens(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"Hello, World", "<hello> , ! <world>"},
		{"12.5", "<12> .~ <5>"},
		{"x_y-z it's", "<x> _~ <y> -~ <z>  ~ <it> '~ <s>"},
		{"aaa. bbb", "<aaa> . ! <bbb>"},
		{"aaa.\nbbb", "<aaa> .~ \n~ <bbb>"},
		{"aaa,bbb", "<aaa> ,~ <bbb>"},
		{"aaa! bbb", "<aaa> !!  ~ <bbb>"},
		{"foo\u00a0bar", "<foo bar>"},
		{"\u00a0 a", " ~  ~ <a>"},
		{"aaa，bbb", "<aaa> ,~ <bbb>"},
		{"aaa！bbb", "<aaa> !! <bbb>"},
		{"aaa。bbb", "<aaa> 。! <bbb>"},
		{"aaa … bbb", "<aaa>  ~ <...>  ~ <bbb>"},
		{"a‼b", "<a> <!!> <b>"},
		{"a=b c<d e~f g|h $5", "<a=b>  ~ <c<d>  ~ <e~f>  ~ <g|h>  ~ <$5>"},
		{"camelCase snake_Case", "<camelcase>  ~ <snake> _~ <case>"},
		{"Éclair Straße ŒUVRE Ææ đa øł", "<eclair>  ~ <straße>  ~ <oeuvre>  ~ <aeae>  ~ <da>  ~ <øł>"},
		{"l’eau", "<l> '~ <eau>"},
		{"ﬁn", "<fin>"},
		{"Привет Й", "<привет>  ~ <и\u0306>"},
		{"ΑΓΑΠΗΤΌς ς\u0301", "<αγαπητοσ>  ~ <ς>"},
		{"한글", "<\u1112\u1161\u11ab\u1100\u1173\u11af>"},
		{"ＡＢＣ", "<ABC>"},
		{"a\x00b\x01c\x0b", "<a> <> <bc\x0b>"},
		{"שָׁלוֹם", "<שלום>"},
		{"الكتاب", "<ال> <كتاب>"},
		{"İstanbul ILIK", "<istanbul>  ~ <ilik>"},
		{"Ծովակ 12", "<ծովակ>  ~ <12>"},
		{"ñ\u0303", "<n>"},
		{"a\xffb", "<a\ufffdb>"},
	} {
		if got := show(Default, c.in); got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

// TestSettings: separators, dictionary and stop words (spec ranking 1.4, 1.7, 1.8).
func TestSettings(t *testing.T) {
	for _, c := range []struct {
		o        Options
		in, want string
	}{
		{Options{StopWords: []string{"the", "of"}}, "The the off of", "<the>  ~ <the>s  ~ <off>  ~ <of>s"},
		{Options{StopWords: []string{"."}}, "a.b. c", "<a> .s <b> . ! <c>"},
		{Options{Separators: []string{"|", "&&", "e"}}, "a|b&&cEd & e", "<a> |~ <b> &&~ <ced>  ~ &~  ~ e~"},
		{Options{NonSeparators: []string{"-", "#", ", "}}, "c# a-b, c", "<c#>  ~ <a-b> ,~  ~ <c>"},
		{Options{Dictionary: []string{"J. R. R.", "Dr.", "J. K."}}, "J. R. R. Tolkien. Dr. J. K.", "<j. r. r.>  ~ <tolkien> . ! <dr.>  ~ <j. k.>"},
		{Options{Dictionary: []string{"l", "ll"}}, "hello", "<he> <ll> <o>"},
		{Options{Dictionary: []string{"."}, NonSeparators: []string{"."}}, "a.b", "<a> <.> <b>"},
		{Options{Separators: []string{"´", ""}}, "a´b", "<a> < > <b>"},
		{Options{Dictionary: []string{"É"}}, "aÉb", "<a> <e> <b>"},
		{Options{Locales: []language.Language{language.Swe}}, "Åäö é o\u0308 ǟǻ", "<åäö>  ~ <e>  ~ <ö>  ~ <äå>"},
		{Options{Locales: []language.Language{language.Pes}}, "كتاب ي ۱۲", "<کتاب>  ~ <ی>  ~ <12>"},
	} {
		c.want = strings.ReplaceAll(c.want, ".s ", "<.>s ")
		if got := show(New(c.o), c.in); got != c.want {
			t.Errorf("%+v %q\n got %s\nwant %s", c.o, c.in, got, c.want)
		}
	}
}

// check checks what is promised of every token sequence.
func check(t testing.TB, tk *Tokenizer, text string) {
	t.Helper()
	at, chars := 0, 0
	for tok := range tk.Tokenize(text) {
		if tok.Start != at || tok.CharStart != chars || tok.End <= tok.Start {
			t.Fatalf("%q: token %+v after byte %d, char %d", text, tok, at, chars)
		}
		at, chars = tok.End, tok.CharEnd
		raw := text[tok.Start:tok.End]
		if n := utf8.RuneCountInString(raw); n != tok.CharEnd-tok.CharStart {
			t.Fatalf("%q: %d chars, token says %d", raw, n, tok.CharEnd-tok.CharStart)
		}
		if !utf8.ValidString(tok.Lemma) && utf8.ValidString(text) {
			t.Fatalf("%q: lemma %q", text, tok.Lemma)
		}
		original, normalised := 0, 0
		for _, m := range tok.CharMap(text) {
			original, normalised = original+m.Original, normalised+m.Normalised
		}
		if original != len(raw) || normalised != len(tok.Lemma) {
			t.Fatalf("%q: char map covers %d of %d and %d of %d", raw, original, len(raw), normalised, len(tok.Lemma))
		}
		if _, b := tok.OriginalLength(text, len(tok.Lemma)+1); b != len(raw) {
			t.Fatalf("%q: original length %d", raw, b)
		}
	}
	if at != len(text) {
		t.Fatalf("%q: tokens end at %d", text, at)
	}
}

// alphabet mixes characters of the fast and of the slow paths.
var alphabet = []string{"a", "B", "z", " ", ".", ", ", ". ", "é", "Å", "œ", "д", "Й", "の", "カ", "ー", "漢", "字", "한", "ا", "ل", "ي", "ς", "Σ", "ก", "ា", "ល", "។",
	"\u0301", "\u0308", "o", "\x00", "\x02", "😀", "1", "-", "\u00a0", "ﬀ", "\xf0", "Ծ"}

func randomText(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(30) {
		b.WriteString(alphabet[rng.IntN(len(alphabet))])
	}
	return b.String()
}

func TestPromises(t *testing.T) {
	texts := 20000
	if testing.Short() {
		texts = 4000
	}
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	tokenizers := []*Tokenizer{Default, New(Options{Separators: []string{"z", "é漢"}, Dictionary: []string{"a. ", "の"}, StopWords: []string{"a"}}),
		New(Options{Locales: []language.Language{language.Swe}}), New(Options{Locales: []language.Language{language.Jpn}}), New(Options{Locales: []language.Language{language.Pes, language.Deu, language.Eng}})}
	for range texts {
		text := randomText(rng)
		for _, tk := range tokenizers {
			check(t, tk, text)
		}
	}
}

func FuzzTokenize(f *testing.F) {
	for _, a := range alphabet {
		f.Add(a + "b" + a)
	}
	custom := New(Options{Separators: []string{"z", "é漢"}, Dictionary: []string{"a. ", "の"}, StopWords: []string{"a"}, Locales: []language.Language{language.Swe, language.Jpn}})
	f.Fuzz(func(t *testing.T, text string) {
		check(t, Default, text)
		check(t, custom, text)
		form := FacetForm(text)
		if len(form) > MaxFacetBytes {
			t.Fatalf("facet form of %d bytes", len(form))
		}
		FacetSearchForm(form, []language.Language{language.Jpn, language.Eng})
		if w := StopWordForm(text); utf8.ValidString(text) && !strings.ContainsFunc(text, isDroppedControl) && StopWordForm(w) != w {
			t.Fatalf("stop word form of %q is not stable: %q", text, w)
		}
	})
}

// TestDecomposition compares with the library character by character.
func TestDecomposition(t *testing.T) {
	for r := rune(0x80); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		s := string(r)
		if got, want := string(appendDecomposed(nil, s, r)), norm.NFKD.String(s); got != want {
			t.Fatalf("U+%04X: %q, want %q", r, got, want)
		}
	}
}

func TestEarlyBreak(t *testing.T) {
	for tok := range Default.Tokenize("One two three") {
		if tok.Lemma != "one" {
			t.Fatal(tok)
		}
		break
	}
	var kept []string
	for range 2000 { // lemmas stay what they were while chunks come and go
		for tok := range Default.Tokenize("ABCDEFGH ÉÀ") {
			kept = append(kept, tok.Lemma)
		}
	}
	for i, k := range kept {
		if want := [...]string{"abcdefgh", " ", "ea"}[i%3]; k != want {
			t.Fatalf("lemma %d became %q", i, k)
		}
	}
}

func TestOriginalLength(t *testing.T) {
	for _, c := range []struct {
		raw          string
		n            int
		chars, bytes int
	}{
		{"Éclair", 3, 3, 4}, {"éclair", 0, 0, 0}, {"Eclair", 3, 3, 3}, {"œuvre", 1, 1, 2}, {"œuvre", 2, 1, 2}, {"œuvre", 3, 2, 3}, {"한글", 9, 1, 3}, {"abc", 9, 3, 3},
	} {
		for tok := range Default.Tokenize(c.raw) {
			if chars, bytes := tok.OriginalLength(c.raw, c.n); chars != c.chars || bytes != c.bytes {
				t.Errorf("%s/%d: %d chars %d bytes, want %d and %d", c.raw, c.n, chars, bytes, c.chars, c.bytes)
			}
		}
	}
}

// TestFacetForms: spec ranking 1.11.
func TestFacetForms(t *testing.T) {
	for _, c := range []struct{ in, form, search string }{
		{" Red ", "red", "red"},
		{"\u00a0Éclair\u2003", "e\u0301clair", "eclair"},
		{"ΟΔΟΣ ΣΑΣ", "οδος σας", "οδος σασ"},
		{"ＡＢＣ", "abc", "abc"},
		{"Straße Œ", "straße œ", "straße oe"},
		{"Й", "и\u0306", "и\u0306"},
		{"бŒ", "бœ", "бoe"}, // of equally frequent scripts the last one wins here: Latin
		{"Œб", "œб", "œб"},
		{"", "", ""},
		{strings.Repeat("é", 200), strings.Repeat("e\u0301", 156), strings.Repeat("e", 156)},
	} {
		form := FacetForm(c.in)
		if form != c.form {
			t.Errorf("FacetForm(%q) = %q, want %q", c.in, form, c.form)
		}
		if got := FacetSearchForm(form, nil); got != c.search {
			t.Errorf("FacetSearchForm(%q) = %q, want %q", form, got, c.search)
		}
	}
}

func TestStopWordForm(t *testing.T) {
	for in, want := range map[string]string{"The": "The", "É": "E\u0301", "ﬁ": "fi", "Ａ": "A", "å": "å", "a\x01b": "ab", "ي": "ی", "ö\u0301": "ö\u0301",
		"a\u0344": "ä\u0301", "a\u0308é": "äe\u0301", "a\x01\u0308": "a\u0308"} {
		if got := StopWordForm(in); got != want {
			t.Errorf("StopWordForm(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Default.Lemmas("Foo-Bar. É"); got != "foo-bar. e" {
		t.Errorf("Lemmas: %q", got)
	}
}

func TestDerived(t *testing.T) {
	base := New(Options{StopWords: []string{"the", ".", "a"}, Separators: []string{"x"}})
	if got := show(base, "the.oxå"); got != "<the>s <.>s <o> x~ <a>" {
		t.Error(got)
	}
	if got := show(base.WithoutStopWords(), "the.oxå"); got != "<the> .~ <o> x~ <a>" {
		t.Error(got)
	}
	if got := show(base.WithLocales([]language.Language{language.Swe}), "the.oxå"); got != "<the>s <.>s <o> x~ <å>" {
		t.Error(got)
	}
}

// TestLeftmostLongest compares the pattern cutter with a simple one.
func TestLeftmostLongest(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 2))
	t.Logf("seed %d", seed)
	for range 3000 {
		var dict []string
		for range 1 + rng.IntN(4) {
			w := ""
			for range 1 + rng.IntN(3) {
				w += string("abcdé"[rng.IntN(4)])
			}
			dict = append(dict, w)
		}
		text := ""
		for range rng.IntN(12) {
			text += string("abcd"[rng.IntN(4)])
		}
		var want []string
		pending := 0
		for i := 0; i < len(text); {
			best := 0
			for _, w := range dict {
				if strings.HasPrefix(text[i:], w) {
					best = max(best, len(w))
				}
			}
			if best == 0 {
				i++
				continue
			}
			if i > pending {
				want = append(want, text[pending:i])
			}
			want = append(want, text[i:i+best])
			i += best
			pending = i
		}
		if pending < len(text) {
			want = append(want, text[pending:])
		}
		var got []string
		for tok := range New(Options{Dictionary: dict}).Tokenize(text) {
			got = append(got, tok.Lemma)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q with %q: %q, want %q", text, dict, got, want)
		}
	}
}

var benchTexts = map[string]string{
	"ascii":    strings.Repeat("The quick brown fox jumps over the lazy dog; it was (reportedly) seen in Paris, Texas, at 12.30 by Mr. Smith and others. ", 50),
	"french":   strings.Repeat("Été comme hiver, l'élève français préfère être à l'école où les œuvres complètes de l'écrivain sont étudiées. ", 50),
	"cyrillic": strings.Repeat("Съешь ещё этих мягких французских булок, да выпей же чаю. ", 50),
	"mixed":    strings.Repeat("Tokyo 東京 Москва Αθήνα القاهرة 서울 กรุงเทพ São Paulo ", 50),
}

func BenchmarkTokenize(b *testing.B) {
	for _, name := range []string{"ascii", "french", "cyrillic", "mixed"} {
		text := benchTexts[name]
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				for tok := range Default.Tokenize(text) {
					n += len(tok.Lemma)
				}
			}
		})
	}
	b.Run("short", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for tok := range Default.Tokenize("Harry Potter") {
				_ = tok
			}
		}
	})
}

func ExampleTokenizer_Tokenize() {
	for tok := range Default.Tokenize("Été, 12.5") {
		fmt.Printf("%q %v\n", tok.Lemma, tok.Kind)
	}
	// Output:
	// "ete" word
	// ", " hard
	// "12" word
	// "." soft
	// "5" word
}

// TestFoldPages compares the precomputed way with the long one.
func TestFoldPages(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 3))
	t.Logf("seed %d", seed)
	for script := range language.ScriptCount {
		var fast normaliser
		fast.begin(script, language.NoLanguage)
		slow := normaliser{script: script}
		for range 3000 {
			text := randomText(rng)
			if script != language.ScriptLatin && script != language.ScriptArmenian { // such groups have no ASCII letters
				text = strings.Map(func(r rune) rune {
					if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
						return -1
					}
					return r
				}, text)
			}
			half, full := fast.normalise(text)
			wantHalf, wantFull := slow.normalise(text)
			if half != wantHalf || full != wantFull {
				t.Fatalf("%v %q: %q %q, want %q %q", script, text, half, full, wantHalf, wantFull)
			}
		}
	}
}

// A facet search reads tens of thousands of values, most of them plain.
func TestPlainValuesAreTheirOwnFacetSearchForm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		form := make([]byte, r.IntN(12))
		for i := range form {
			form[i] = byte(r.IntN(130))
		}
		script, _ := language.Whole(string(form))
		for _, l := range []language.Language{0, language.Swe, language.Jpn, language.Pes, language.Eng} {
			n := normaliser{script: script, language: l}
			if _, lemma := n.normalise(string(form)); isSearchForm(string(form)) && lemma != string(form) {
				t.Fatalf("%q becomes %q", form, lemma)
			}
		}
	}
}
