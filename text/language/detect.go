package language

import (
	"slices"
)

// language decides the language of a group (spec ranking 1.3). It is looked up
// only where a script has several segmenters; an allow-list of one language
// settles it without looking at the text.
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
			return detect(text, locales, latinProfiles())
		}
	case ScriptCj:
		return languageOfCj(c, locales)
	case ScriptArabic:
		if len(locales) == 0 {
			return detect(text, arabicLanguages, arabicProfiles())
		}
		var candidates []Language
		for _, l := range arabicLanguages {
			if slices.Contains(locales, l) {
				candidates = append(candidates, l)
			}
		}
		return detect(text, candidates, arabicProfiles())
	}
	return NoLanguage
}

// arabicLanguages are the languages told apart in Arabic script; the first wins
// when nothing does.
var arabicLanguages = []Language{Ara, Urd, Pes}

// languageOfCj tells Japanese from Chinese by the share of kana.
func languageOfCj(c *Census, locales []Language) Language {
	kana := c.hiragana + c.katakana
	if max(c.hiragana, c.katakana) > c.han {
		return Jpn
	}
	if len(locales) > 0 && !slices.Contains(locales, Cmn) && !slices.Contains(locales, Zho) {
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
