package text

import (
	"testing"

	"shoal/text/dictionary"
)

func TestKorean(t *testing.T) {
	useDictionary(t, dictionary.Korean)
	tk := New(Options{Dictionaries: dictionary.Korean})
	n := 0
	for tok := range tk.Tokenize("아버지가방에들어가신다") {
		if tok.Kind == Word {
			n++
		}
	}
	if n < 4 {
		t.Errorf("%d morphemes", n)
	}
	check(t, tk, "한국어의형태해석기입니다 123")
}
