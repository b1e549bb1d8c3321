//go:build japanese

package segment

import (
	"sync"

	"github.com/ikawaha/kagome-dict/uni"
	"github.com/ikawaha/kagome/v2/tokenizer"
)

// Built with the tag japanese, the binary has UniDic (some 50 MB of it, and 120 MB
// of memory from the first Japanese text on).
const hasJapanese = true

var japaneseMorphemes = sync.OnceValue(func() *tokenizer.Tokenizer {
	t, err := tokenizer.New(uni.DictShrink(), tokenizer.OmitBosEos())
	if err != nil {
		panic("text: japanese dictionary: " + err.Error()) // the binary itself is broken
	}
	return t
})

// segmentJapanese cuts into morphemes; long unknown compounds are cut further.
func segmentJapanese(stretch string, emit func(int) bool) bool {
	for _, m := range japaneseMorphemes().Analyze(stretch, tokenizer.Search) {
		if len(m.Surface) > 0 && !emit(len(m.Surface)) {
			return false
		}
	}
	return true
}
