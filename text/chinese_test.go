package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"shoal/text/language"
)

// words renders the word tokens of a text.
func words(t *Tokenizer, text string) string {
	var out []string
	for tok := range t.Tokenize(text) {
		if tok.Kind == Word {
			out = append(out, tok.Lemma)
		}
	}
	return strings.Join(out, "|")
}

func TestChinese(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"我来到北京清华大学", "我|來到|北京|清華大學"},
		{"人人生而自由﹐在尊嚴和權利上一律平等。", "人人|生而自由|在|尊|嚴|和|權|利|上|一律平等"},
		{"进击的巨人", "進擊|的|巨人"},
		{"因为他们没有钱", "因爲|他們|沒有|錢"},
		{"小明硕士毕业于中国科学院计算所", "小|明|碩士|畢業|于|中國科學院|計算所"},
		{"揚克斯", "揚|克斯"},
		{"他后来回国了", "他|后來|回國|了"},
		{"iPhone手机", "iphone|手机"},
		{"第12条=3", "第|12|條|=|3"},
		{"北京，上海。", "北京|上海"},
	} {
		if got := words(Default, c.in); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
}

func BenchmarkChinese(b *testing.B) {
	text := strings.Repeat("结巴分词是使用广泛的中文分词组件，我们来到北京清华大学，他后来在日本京都大学深造。", 20)
	words(Default, text) // loads the dictionary
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for range Default.Tokenize(text) {
		}
	}
}

func TestVariants(t *testing.T) {
	if a, b := utf8.RuneCountInString(variant), utf8.RuneCountInString(standard); a != b {
		t.Fatalf("%d variants, %d standard characters", a, b)
	}
	for _, r := range variant {
		v := unifyHan(r)
		if v == r || unifyHan(v) != v || v < firstVariant || v > lastVariant {
			t.Errorf("%c becomes %c", r, v)
		}
	}
	if got := words(Default, "广州"); got != "廣州" { // cut before the variants are unified
		t.Error(got)
	}
	if got := words(Default, "廣州"); got != "廣|州" {
		t.Error(got)
	}
	if got := words(New(Options{Locales: []language.Language{language.Jpn}}), "广州"); got != "广州" {
		t.Error(got)
	}
}
