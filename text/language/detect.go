package language

import "slices"

// Of decides the language of a group of a script (spec ranking 1.3). It is looked up only
// where a script has several segmenters. locales are the languages allowed: nil allows
// all, an empty list none, and one language settles it without a look at the text. The
// order of a list means nothing.
func Of(script Script, text string, c *Census, locales []Language) Language {
	switch script {
	case ScriptLatin, ScriptCj, ScriptArabic:
		if len(locales) == 1 {
			return locales[0]
		}
	}
	switch script {
	case ScriptLatin:
		// Swedish and German are the only languages whose Latin tokens differ.
		if slices.Contains(locales, Swe) || slices.Contains(locales, Deu) {
			return detectLatin(text, locales)
		}
	case ScriptCj:
		return languageOfCj(c, locales)
	case ScriptArabic:
		return detectArabic(text, locales)
	}
	return NoLanguage
}

// allows tells whether a list of languages has one of them; nil has all.
func allows(locales []Language, l Language) bool {
	return locales == nil || slices.Contains(locales, l)
}

// detectArabic tells the languages of Arabic script apart by their trigrams alone. The
// first wins when nothing does; no language when none is allowed.
func detectArabic(text string, locales []Language) Language {
	found, best := NoLanguage, -1.0
	var ranked []trigram
	for _, l := range [...]Language{Ara, Urd, Pes} {
		if !allows(locales, l) {
			continue
		}
		if ranked == nil {
			ranked = rankTrigrams(lowerCase(text))
		}
		if s := similarity(ranked, arabicProfiles()[l]); s > best {
			found, best = l, s
		}
	}
	return found
}

// detectLatin tells the languages of Latin script apart by the share of letters that are
// in their alphabet and by trigrams, the latter counting more the longer the text is. Of
// equal languages the one with more letters wins, then the first of latinAlphabets.
func detectLatin(text string, locales []Language) Language {
	lower := lowerCase(text)
	n, hits := countLetters(lower)
	if n == 0 {
		n = 1 // never in a group of Latin script
	}
	ranked := rankTrigrams(lower)
	found, best, bestLetters := NoLanguage, -1.0, 0
	for i, a := range latinAlphabets {
		if !allows(locales, a.language) {
			continue
		}
		letters := max(0, 2*hits[i]-n)
		score := languageScore(n, letters, similarity(ranked, latinProfiles()[a.language]))
		if score > best || score == best && letters > bestLetters {
			found, best, bestLetters = a.language, score, letters
		}
	}
	return found
}

// languageScore rates a language of whose alphabet a text of n characters has letters more
// than others, and whose trigrams are similar to those of the text.
//
// The conversions forbid fused multiplication and addition, which not all processors have:
// replicas must agree.
func languageScore(n, letters int, similar float64) float64 {
	weight := letterWeight(n)
	return float64(float64(letters)/float64(n)*weight) + float64(similar*(1-weight))
}

// letterWeight is how much letters count beside trigrams, by the length of the text.
func letterWeight(n int) float64 {
	const most, least = 2.0 / 3, 1.0 / 3
	return min(max(most-float64(n)/300, least), most)
}

// languageOfCj tells Japanese from Chinese by the share of kana. Where Chinese is not
// allowed, all is Japanese.
func languageOfCj(c *Census, locales []Language) Language {
	kana := c.hiragana + c.katakana
	if max(c.hiragana, c.katakana) > c.han {
		return Jpn
	}
	if !allows(locales, Cmn) && !allows(locales, Zho) {
		return Jpn
	}
	if total := kana + c.han; total > 0 && float64(kana)/float64(total) > 0.05 {
		return Jpn
	}
	return Cmn
}

// Census counts the characters of a group by script. As a group holds one script
// and neutral characters, few counters do; the three parts of Cj are apart
// because the language depends on them.
type Census struct {
	script                            Script
	letters                           int
	armenian, hiragana, katakana, han int
}
