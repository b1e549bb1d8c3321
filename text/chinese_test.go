package text

import (
	"strings"
	"testing"
	"unicode/utf8"
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
		{"我来到北京清华大学", "我|来到|北京|清华|大学"},
		{"人人生而自由﹐在尊嚴和權利上一律平等。", "人人|生|而|自由|在|尊|严|和|权|利|上|一律|平等"},
		{"进击的巨人", "进击|的|巨人"},
		{"因为他们没有钱", "因为|他们|没有|钱"},
		{"小明硕士毕业于中国科学院计算所", "小|明|硕士|毕业|于|中国|科学|院|计算|所"},
		{"揚克斯", "扬|克斯"},
		{"他后来回国了", "他|后来|回国|了"},
		{"iPhone手机", "iphone|手机"},
		{"第12条=3", "第|12|条|=|3"},
		{"北京，上海。", "北京|上海"},
	} {
		if got := words(Default, c.in); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
}

func TestPhraseBook(t *testing.T) {
	b := newPhraseBook("一 10 m\n一二 5 m\n一二三四 2 m\n二 7\nab 3 x\nbroken\n四 0 x\n", map[int]string{3: "二"})
	for word, want := range map[string]bool{"一": true, "一二": true, "一二三": false, "一二三四": true, "二": true, "四": false, "ab": true, "a": false, "三": false} {
		if b.has(word) != want {
			t.Errorf("%s: %v", word, !want)
		}
	}
}

func BenchmarkChinese(b *testing.B) {
	text := strings.Repeat("结巴分词是使用广泛的中文分词组件，我们来到北京清华大学，他后来在日本京都大学深造。", 20)
	chineseBook()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for range Default.Tokenize(text) {
		}
	}
}

func TestVariants(t *testing.T) {
	if a, b := utf8.RuneCountInString(traditional), utf8.RuneCountInString(simplified); a != b {
		t.Fatalf("%d traditional characters, %d simplified", a, b)
	}
	for _, r := range traditional {
		v := unifyHan(r)
		if v == r || unifyHan(v) != v || v < firstVariant || v > lastVariant {
			t.Errorf("%c becomes %c", r, v)
		}
	}
	if got := words(Default, "廣州"); got != "广|州" { // cut before the variants are unified
		t.Error(got)
	}
	if got := words(New(Options{Locales: []Language{Jpn}}), "廣州"); got != "廣州" {
		t.Error(got)
	}
}
