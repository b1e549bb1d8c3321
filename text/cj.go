package text

import (
	"unicode/utf8"

	"shoal/text/language"
)

// foldCj is step 9 on one character of a Cj segment.
func (n *normaliser) foldCj(dst []byte, r rune) []byte {
	if n.language == language.NoLanguage || n.language == language.Cmn || n.language == language.Zho {
		r = unifyHan(r)
	}
	return utf8.AppendRune(dst, r)
}

// finishCj is step 10, in place, because kana of both kinds have three bytes.
func (n *normaliser) finishCj(lemma []byte) []byte {
	if !n.kana || n.language != language.NoLanguage && n.language != language.Jpn {
		return lemma
	}
	const prolonged, toHiragana = 'ー', 'ァ' - 'ぁ'
	before := rune(-1)
	for i := 0; i < len(lemma); {
		r, size := utf8.DecodeRune(lemma[i:])
		switch {
		case r == prolonged:
			if vowel := vowelOf(before); vowel != 0 {
				utf8.EncodeRune(lemma[i:], vowel)
			}
			before = -1
		case r >= 'ァ' && r <= 'ヶ':
			before = r - toHiragana
			utf8.EncodeRune(lemma[i:], before)
		default:
			before = -1
		}
		i += size
	}
	return lemma
}

// vowels has, for each hiragana from ぁ to ゔ, the vowel that prolongs it, う after o. ん has
// none.
const vowels = "ああいいううええううああいいううええううああいいううええううああいいうううええううあ" +
	"いうえうあああいいいうううえええうううあいうえうああううううあいうえうああいえう゠う"

// vowelOf returns the hiragana for a prolonged sound mark after r, or 0 if there is none.
func vowelOf(r rune) rune {
	if r < 'ぁ' || r > 'ゔ' {
		return 0
	}
	const width = 3
	at := int(r-'ぁ') * width
	if v, _ := utf8.DecodeRuneInString(vowels[at:]); v != '゠' {
		return v
	}
	return 0
}
