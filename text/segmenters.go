package text

import (
	"strings"
	"unicode"
)

// Segmenters is a set of segmenters that are a choice, because their dictionaries
// are large. The zero value is what the reference recorded for conformance has:
// Japanese and Korean stretches stay whole.
type Segmenters uint8

const (
	// SegmentJapanese cuts Japanese by UniDic and folds katakana to hiragana. It
	// needs a binary built with the tag japanese.
	SegmentJapanese Segmenters = 1 << iota
	// SegmentKorean cuts Hangul by the mecab-ko dictionary. It needs a binary built
	// with the tag korean.
	SegmentKorean
)

// Built returns the segmenters this binary has.
func Built() (s Segmenters) {
	if hasJapanese {
		s |= SegmentJapanese
	}
	if hasKorean {
		s |= SegmentKorean
	}
	return s
}

// of returns the segmenter of a script and language, nil for none.
func (s Segmenters) of(script Script, language Language) segmentFunc {
	switch {
	case script == ScriptCj && (language == Cmn || language == Zho):
		return segmentChinese
	case script == ScriptCj && language == Jpn && s&SegmentJapanese != 0:
		return segmentJapanese
	case script == ScriptHangul && s&SegmentKorean != 0:
		return segmentKorean
	case script == ScriptArabic && (language == Ara || language == Pes):
		return segmentArabic
	case script == ScriptLatin && language == Deu:
		return segmentGerman
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

// segmentFunc cuts an unmatched stretch: it calls emit with the length of each
// segment in turn until emit returns false.
type segmentFunc func(stretch string, emit func(length int) bool) bool
