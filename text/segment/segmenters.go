package segment

import (
	"strings"
	"unicode"

	"shoal/text/dictionary"
	"shoal/text/language"
)

// Of returns the segmenter of a script and language, or nil. With dictionaries, Japanese is
// cut into morphemes (and its katakana folded to hiragana), and Korean too. Without them,
// their stretches stay whole.
func Of(dictionaries dictionary.Set, script language.Script, lang language.Language) Func {
	switch {
	case script == language.ScriptCj && (lang == language.Cmn || lang == language.Zho):
		return segmentChinese
	case script == language.ScriptCj && lang == language.Jpn && dictionaries.Has(dictionary.Japanese):
		return segmentJapanese
	case script == language.ScriptHangul && dictionaries.Has(dictionary.Korean):
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

func segmentJapanese(stretch string, emit func(int) bool) bool {
	return dictionary.Cut(dictionary.Japanese, stretch, emit)
}

func segmentKorean(stretch string, emit func(int) bool) bool {
	return dictionary.Cut(dictionary.Korean, stretch, emit)
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

// IsNumeric tells whether a stretch has only numbers and ASCII punctuation. Such a stretch
// is never passed to a segmenter.
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
