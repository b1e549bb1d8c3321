package segment

import (
	"strings"
	"unicode"

	"shoal/text/language"
)

// Segmenters is a set of segmenters that are a choice, because their dictionaries
// are large. The zero value is what the reference recorded for conformance has:
// Japanese and Korean stretches stay whole.
type Segmenters uint8

const (
	// Japanese cuts Japanese by UniDic and folds katakana to hiragana. It
	// needs a binary built with the tag japanese.
	Japanese Segmenters = 1 << iota
	// Korean cuts Hangul by the mecab-ko dictionary. It needs a binary built
	// with the tag korean.
	Korean
)

// Built returns the segmenters this binary has.
func Built() (s Segmenters) {
	if hasJapanese {
		s |= Japanese
	}
	if hasKorean {
		s |= Korean
	}
	return s
}

// Of returns the segmenter of a script and language, nil for none.
func (s Segmenters) Of(script language.Script, lang language.Language) Func {
	switch {
	case script == language.ScriptCj && (lang == language.Cmn || lang == language.Zho):
		return segmentChinese
	case script == language.ScriptCj && lang == language.Jpn && s&Japanese != 0:
		return segmentJapanese
	case script == language.ScriptHangul && s&Korean != 0:
		return segmentKorean
	case script == language.ScriptArabic && (lang == language.Ara || lang == language.Pes):
		return segmentArabic
	case script == language.ScriptLatin && lang == language.Deu:
		return segmentGerman
	case script == language.ScriptThai:
		return segmentThai
	case script == language.ScriptKhmer:
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

// IsNumeric reports whether a stretch has only numbers and ASCII punctuation: it
// is never handed to a segmenter.
func IsNumeric(s string) bool {
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

// Func cuts an unmatched stretch: it calls emit with the length of each
// segment in turn until emit returns false.
type Func func(stretch string, emit func(length int) bool) bool
