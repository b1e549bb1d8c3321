package language

import "slices"

// Of decides the language of a group of a script (spec ranking 1.3), only for scripts with
// several segmenters. locales are the allowed languages: nil allows all, an empty list
// none. A single language decides without a look at the text. The order of the list has no
// meaning.
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

// allows tells whether a list of languages contains one. nil contains all.
func allows(locales []Language, l Language) bool {
	return locales == nil || slices.Contains(locales, l)
}

// detectArabic distinguishes the languages of Arabic script by trigrams only. On a tie the
// first wins. It returns no language if none is allowed.
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

// detectLatin distinguishes the languages of Latin script by the share of letters in their
// alphabet and by trigrams, which count more for longer texts. On a tie the language with
// more letters wins, then the first of latinAlphabets.
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

// languageScore rates a language. n is the number of characters, letters the number of
// those in the language's alphabet, similar the similarity of trigrams.
//
// The conversions prevent fused multiplication and addition, which not all processors have,
// because replicas must agree.
func languageScore(n, letters int, similar float64) float64 {
	weight := letterWeight(n)
	return float64(float64(letters)/float64(n)*weight) + float64(similar*(1-weight))
}

// letterWeight is the weight of letters against trigrams, by the length of the text.
func letterWeight(n int) float64 {
	const most, least = 2.0 / 3, 1.0 / 3
	return min(max(most-float64(n)/300, least), most)
}

// languageOfCj distinguishes Japanese from Chinese by the share of kana. If Chinese is not
// allowed, the result is Japanese.
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

// Census counts the characters of a group by script. A group has one script and neutral
// characters, so few counters suffice. The three parts of Cj are counted separately because
// the language depends on them.
type Census struct {
	script                            Script
	letters                           int
	armenian, hiragana, katakana, han int
}
