//go:build korean

package segment

import (
	"sync"

	ko "github.com/ikawaha/kagome-dict-ko"
	"github.com/ikawaha/kagome/v2/tokenizer"
)

// Built with the tag korean, the binary has the mecab-ko dictionary.
const hasKorean = true

var koreanMorphemes = sync.OnceValue(func() *tokenizer.Tokenizer {
	t, err := tokenizer.New(ko.DictShrink(), tokenizer.OmitBosEos())
	if err != nil {
		panic("text: korean dictionary: " + err.Error()) // the binary itself is broken
	}
	return t
})

// segmentKorean cuts into morphemes.
func segmentKorean(stretch string, emit func(int) bool) bool {
	for _, m := range koreanMorphemes().Analyze(stretch, tokenizer.Search) {
		if len(m.Surface) > 0 && !emit(len(m.Surface)) {
			return false
		}
	}
	return true
}
