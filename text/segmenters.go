package text

import (
	"strings"
	"unicode"
)

// Segmenters is a set of segmenters that need a large dictionary and are
// therefore a choice. The zero value is what the reference build used for
// conformance has: Chinese, Arabic and whatever needs no choice.
type Segmenters uint8

const (
	// SegmentJapanese cuts Japanese by UniDic and folds katakana to hiragana.
	SegmentJapanese Segmenters = 1 << iota
	// SegmentKorean cuts Hangul by the mecab-ko dictionary.
	SegmentKorean
)

// of returns the segmenter of a script and language, nil for none.
func (s Segmenters) of(script Script, language Language) segmentFunc {
	switch {
	case script == ScriptCj && (language == Cmn || language == Zho):
		return segmentChinese
	case script == ScriptArabic && (language == Ara || language == Pes):
		return segmentArabic
	case script == ScriptThai:
		return segmentThai
	case script == ScriptKhmer:
		return segmentKhmer
	}
	return nil
}

// segmentArabic cuts the article off a stretch of more than four bytes.
func segmentArabic(stretch string, emit func(int) bool) bool {
	const article = 4
	if len(stretch) > article {
		for _, a := range [...]string{"ال", "أل", "إل", "آل", "ٱل"} {
			if strings.HasPrefix(stretch, a) {
				return emit(article) && emit(len(stretch)-article)
			}
		}
	}
	return emit(len(stretch))
}

// isNumeric reports whether a stretch has only numbers and ASCII punctuation: it
// is never handed to a segmenter.
func isNumeric(s string) bool {
	for _, r := range s {
		if !unicode.IsNumber(r) && !isASCIIPunct(r) {
			return false
		}
	}
	return true
}

func isASCIIPunct(r rune) bool {
	return r >= '!' && r <= '/' || r >= ':' && r <= '@' || r >= '[' && r <= '`' || r >= '{' && r <= '~'
}
