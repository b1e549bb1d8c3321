package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/text/unicode/norm"

	"shoal/text/language"
)

// normaliser applies the steps of spec ranking 1.6 to one segment after the other. script
// and language are those of the segment's group. Not safe for concurrent use. The zero
// value is ready.
type normaliser struct {
	script   language.Script
	language language.Language
	// kana requests that katakana become hiragana (step 10).
	kana bool
	// pages holds precomputed characters of the script, nil for none.
	pages *foldPages
	// half and full are scratch memory: the lemma after step 3 and after the last step.
	half, full []byte
	// ends, if collecting is set, receives the end of each character in half.
	ends       []int
	collecting bool
}

// begin sets the group of the segments that follow.
func (n *normaliser) begin(script language.Script, language language.Language) {
	n.script, n.language = script, language
	n.pages = foldPagesOf(script)
}

// normalise returns the lemma in the form for classification (after step 3, with case) and
// in the indexed form. Both are either raw itself or strings in scratch memory that the
// next call overwrites.
func (n *normaliser) normalise(raw string) (half, lemma string) {
	if n.language == language.Swe || n.pages == nil {
		n.decompose(raw)
		n.full = n.full[:0]
		for _, r := range stringOver(n.half) {
			n.full = n.fold(n.full, r)
		}
	} else {
		n.lookUp(raw)
	}
	half = stringOver(n.half)
	if half == raw {
		half = raw
	}
	n.full = n.finish(n.full, half)
	lemma = stringOver(n.full)
	if lemma == raw {
		lemma = raw
	}
	return half, lemma
}

// lookUp does decompose and fold in one pass, for scripts whose frequent characters are
// precomputed.
func (n *normaliser) lookUp(raw string) {
	half, full := n.half[:0], n.full[:0]
	for i := 0; i < len(raw); {
		if b := raw[i]; b < utf8.RuneSelf {
			i++
			if isDroppedControl(rune(b)) {
				continue
			}
			half = append(half, b)
			if b-'A' < 26 {
				b += 'a' - 'A'
			}
			full = append(full, b)
			continue
		}
		r, size := language.DecodeRune(raw[i:])
		if e := n.pages.entry(r); e != nil {
			half, full = append(half, e.half...), append(full, e.full...)
		} else {
			at := len(half)
			half = appendDecomposed(half, raw[i:i+size], r)
			for _, d := range stringOver(half[at:]) {
				full = n.fold(full, d)
			}
		}
		i += size
	}
	n.half, n.full = half, full
}

// mapChars calls f with the byte lengths of each character of raw and of its part of the
// lemma, until f returns false.
func (n *normaliser) mapChars(raw string, f func(original, normalised int) bool) {
	n.collecting = true
	n.decompose(raw)
	n.collecting = false
	from, i := 0, 0
	for at := 0; at < len(raw); i++ {
		_, size := utf8.DecodeRuneInString(raw[at:])
		n.full = n.full[:0]
		for _, r := range stringOver(n.half[from:n.ends[i]]) {
			n.full = n.fold(n.full, r)
		}
		if !f(size, len(n.full)) {
			return
		}
		at, from = at+size, n.ends[i]
	}
}

// decompose runs steps 1 to 3 into half: compatibility decomposition of each
// character on its own, Swedish recomposition, control characters.
func (n *normaliser) decompose(raw string) {
	n.half, n.ends = n.half[:0], n.ends[:0]
	for i, dropped := 0, false; i < len(raw); {
		r, size := rune(raw[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(raw[i:])
		}
		afterControl := dropped
		dropped = isDroppedControl(r)
		switch {
		case dropped:
		case r < utf8.RuneSelf:
			n.half = append(n.half, byte(r))
		case n.language == language.Swe && (r == ringAbove || r == diaeresis) && !afterControl && n.recompose(r):
			if n.collecting { // the letter has grown
				n.ends[len(n.ends)-1] = len(n.half)
			}
		default:
			before := len(n.half)
			n.half = appendDecomposed(n.half, raw[i:i+size], r)
			if n.language == language.Swe {
				n.half = recomposeHead(n.half, before)
			}
		}
		i += size
		if n.collecting {
			n.ends = append(n.ends, len(n.half))
		}
	}
}

const (
	diaeresis = '\u0308'
	ringAbove = '\u030a'
)

// recompose joins a Swedish letter at the end of half with the following mark. It returns
// whether it did.
func (n *normaliser) recompose(mark rune) bool {
	if len(n.half) == 0 {
		return false
	}
	joined := swedish(n.half[len(n.half)-1], mark)
	if joined == 0 {
		return false
	}
	n.half = utf8.AppendRune(n.half[:len(n.half)-1], joined)
	return true
}

// recomposeHead joins the letter and the first mark of the decomposition that
// starts at an offset of half.
func recomposeHead(half []byte, at int) []byte {
	if len(half)-at < len("a\u0308") {
		return half
	}
	mark, size := utf8.DecodeRune(half[at+1:])
	joined := swedish(half[at], mark)
	if joined == 0 {
		return half
	}
	n := utf8.EncodeRune(half[at:], joined)
	return append(half[:at+n], half[at+1+size:]...)
}

func swedish(letter byte, mark rune) rune {
	switch {
	case mark == ringAbove && letter == 'A':
		return 'Å'
	case mark == ringAbove && letter == 'a':
		return 'å'
	case mark == diaeresis && letter == 'A':
		return 'Ä'
	case mark == diaeresis && letter == 'a':
		return 'ä'
	case mark == diaeresis && letter == 'O':
		return 'Ö'
	case mark == diaeresis && letter == 'o':
		return 'ö'
	}
	return 0
}

// fold runs steps 5 to 15 on one decomposed character.
func (n *normaliser) fold(dst []byte, r rune) []byte {
	switch n.script {
	case language.ScriptLatin:
		return foldLatin(dst, r)
	case language.ScriptCyrillic, language.ScriptGeorgian, language.ScriptArmenian:
		return utf8.AppendRune(dst, unicode.ToLower(r))
	case language.ScriptGreek:
		if r = unicode.ToLower(r); nonspacingMarks.Has(r) {
			return dst
		}
	case language.ScriptHebrew, language.ScriptThai:
		if nonspacingMarks.Has(r) {
			return dst
		}
	case language.ScriptArabic:
		return n.foldArabic(dst, r)
	case language.ScriptCj:
		return n.foldCj(dst, r)
	}
	return utf8.AppendRune(dst, r)
}

// finish runs the steps that need the whole lemma. half is the lemma before folding.
func (n *normaliser) finish(lemma []byte, half string) []byte {
	switch n.script {
	case language.ScriptGreek:
		return finishGreek(lemma, half)
	case language.ScriptCj:
		return n.finishCj(lemma)
	}
	return lemma
}

// foldLatin is steps 6, 7, 8, 13, 14 and 15.
func foldLatin(dst []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		if r-'A' < 26 && r >= 'A' {
			r += 'a' - 'A'
		}
		return append(dst, byte(r))
	}
	switch r {
	case '’', '‘', '‛':
		return append(dst, '\'')
	case 'œ', 'Œ':
		return append(dst, "oe"...)
	case 'æ', 'Æ':
		return append(dst, "ae"...)
	case 'Ð', 'Đ', 'đ', 'ð':
		return append(dst, 'd')
	case 'ı':
		return append(dst, 'i')
	}
	r = unicode.ToLower(r)
	if nonspacingMarks.Has(r) {
		return dst
	}
	return utf8.AppendRune(dst, r)
}

// foldArabic is steps 5, 12 and 13.
func (n *normaliser) foldArabic(dst []byte, r rune) []byte {
	if n.language == language.Pes {
		mapped, text := foldPersian(r)
		if mapped == 0 {
			return append(dst, text...)
		}
		r = mapped
	}
	switch r {
	case 'ـ':
		return dst
	case 'أ', 'إ', 'آ', 'ٱ':
		r = 'ا'
	case 'ى':
		r = 'ي'
	case 'ة':
		r = 'ه'
	}
	if nonspacingMarks.Has(r) {
		return dst
	}
	return utf8.AppendRune(dst, r)
}

// foldPersian is step 5: it returns the character that r becomes, or 0 and a text.
func foldPersian(r rune) (rune, string) {
	switch {
	case r == 'ي' || r == 'ى' || r == 'ۀ':
		return 'ی', ""
	case r == 'ك':
		return 'ک', ""
	case r >= '۰' && r <= '۹':
		return '0' + r - '۰', ""
	case r == '،':
		return ',', ""
	case r == '؟':
		return '?', ""
	case r == '\ufdfc':
		return 0, "RIAL"
	case r == '\u200c':
		return 0, ""
	}
	return r, ""
}

// finishGreek replaces a final sigma at the end (step 11). At that step marks are still
// present, so a sigma with a mark is not at the end.
func finishGreek(lemma []byte, half string) []byte {
	if strings.HasSuffix(half, "ς") {
		copy(lemma[len(lemma)-len("ς"):], "σ")
	}
	return lemma
}

// appendDecomposed appends the compatibility decomposition of one character.
func appendDecomposed(dst []byte, raw string, r rune) []byte {
	if r >= 0xAC00 && r <= 0xD7A3 {
		return appendJamo(dst, r)
	}
	if d := norm.NFKD.PropertiesString(raw).Decomposition(); d != nil {
		return append(dst, d...)
	}
	if r == utf8.RuneError {
		return utf8.AppendRune(dst, r)
	}
	return append(dst, raw...)
}

// appendJamo decomposes a Hangul syllable.
func appendJamo(dst []byte, r rune) []byte {
	const lead, vowel, trail, perLead, perVowel = 0x1100, 0x1161, 0x11A7, 588, 28
	i := r - 0xAC00
	dst = utf8.AppendRune(dst, lead+i/perLead)
	dst = utf8.AppendRune(dst, vowel+i%perLead/perVowel)
	if t := i % perVowel; t > 0 {
		dst = utf8.AppendRune(dst, trail+t)
	}
	return dst
}

// isDroppedControl reports whether step 3 removes the character: a control
// character that is not white space.
func isDroppedControl(r rune) bool {
	switch {
	case r < ' ':
		return r < '\t' || r > '\r'
	case r >= 0x7F && r <= 0x9F:
		return r != 0x85
	}
	return false
}

// stringOver views bytes as a string for as long as they do not change.
func stringOver(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
