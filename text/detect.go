package text

import "slices"

// language decides the language of a group (spec ranking 1.3). It is looked up
// only where a script has several segmenters; an allow-list of one language
// settles it without looking at the text.
func (t *Tokenizer) language(script Script, text string, c *census) Language {
	switch script {
	case ScriptLatin, ScriptCj, ScriptArabic:
		if len(t.locales) == 1 {
			return t.locales[0]
		}
	}
	switch script {
	case ScriptLatin:
		// Swedish is the only language whose Latin tokens differ.
		if slices.Contains(t.locales, Swe) {
			return detect(text, t.locales, latinProfiles())
		}
	case ScriptCj:
		return t.languageOfCj(c)
	case ScriptArabic:
		if len(t.locales) == 0 {
			return detect(text, arabicLanguages, arabicProfiles())
		}
		var candidates []Language
		for _, l := range arabicLanguages {
			if slices.Contains(t.locales, l) {
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
func (t *Tokenizer) languageOfCj(c *census) Language {
	kana := c.hiragana + c.katakana
	if max(c.hiragana, c.katakana) > c.han {
		return Jpn
	}
	if len(t.locales) > 0 && !slices.Contains(t.locales, Cmn) && !slices.Contains(t.locales, Zho) {
		return Jpn
	}
	if total := kana + c.han; total > 0 && float64(kana)/float64(total) > 0.05 {
		return Jpn
	}
	return Cmn
}
