package text

import (
	"strings"
	"testing"

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
		{"我来到北京清华大学", "我|來到|北京|淸華|大學"},
		{"人人生而自由﹐在尊嚴和權利上一律平等。", "人人|生|而|自由|在|尊|嚴|和|權|利|上|一律|平等"},
		{"进击的巨人", "進擊|的|巨人"},
		{"因为他们没有钱", "因爲|他們|沒有|錢"},
		{"小明硕士毕业于中国科学院计算所", "小|明|碩士|畢業|于|中國|科學|院|計算|所"},
		{"揚克斯", "揚|克斯"},
		{"阿尔及利亚", "阿|尔|及|利亞"},
		{"恶作剧", "惡作劇"}, // a word of three characters without one of two
		{"我从2025年开始学习Rust语言", "我|从|2025|年|开始|學習|rust|語言"},
		{"用C++写程序", "用|c|寫|程序"},
		{"𠀀丨东西", "𠀀|丨|東西"},
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

// TestHanVariants: pairs of the table of each kind, characters that a smaller table once
// had as well, and what is in no table.
func TestHanVariants(t *testing.T) {
	for r, want := range map[rune]rune{
		'㨲': '㩍', '铿': '鏗', '㓻': '剛', '㮺': '本', '刄': '刃', // wrong, simplified, semantic, old, equal
		'𢆎': '㚔', '杤': '𣜜', // beyond the basic plane
		'头': '头', '后': '后', '刃': '刃', 'あ': 'あ', 'a': 'a', '\n': '\n', '𠀀': '𠀀',
	} {
		if got := unifyHan(r); got != want {
			t.Errorf("%c becomes %c, want %c", r, got, want)
		}
	}
	table, pairs := variants(), 0
	for i, r := range table.common {
		if r != 0 {
			pairs++
			if r == firstCommon+rune(i) {
				t.Errorf("%c is a variant of itself", r)
			}
		}
	}
	if pairs += len(table.rare); pairs != 10629 {
		t.Errorf("%d pairs", pairs)
	}
	if got := words(Default, "国会"); got != "國會" { // cut before the variants are unified
		t.Error(got)
	}
	if got := words(Default, "國會"); got != "國|會" {
		t.Error(got)
	}
	if got := words(New(Options{Locales: []language.Language{language.Jpn}}), "国会"); got != "国会" {
		t.Error(got)
	}
}
