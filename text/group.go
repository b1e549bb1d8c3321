package text

import "unicode/utf8"

// group is a run of one script with the neutral characters after it.
type group struct {
	start, end int
	script     Script
	language   Language
}

// nextGroup finds the group that starts at a byte offset (spec ranking 1.2) and
// decides its script and language (1.3).
func (s *scanner) nextGroup(start int) group {
	g := group{start: start}
	var c census
	g.end = c.take(s.text[start:]) + start
	g.script = c.winner()
	g.language = languageOf(g.script, s.text[start:g.end], &c, s.t.locales)
	return g
}

// census counts the characters of a group by script. As a group holds one script
// and neutral characters, few counters do; the three parts of Cj are apart
// because the language depends on them.
type census struct {
	script                            Script
	letters                           int
	armenian, hiragana, katakana, han int
}

// take counts the first group of text and returns its length.
func (c *census) take(text string) int {
	for i := 0; i < len(text); {
		b := text[i]
		if b < utf8.RuneSelf {
			if b|0x20-'a' < 26 { // letters, all Latin; the rest is neutral and not counted
				if c.script != ScriptLatin {
					if c.script != ScriptOther {
						return i
					}
					c.script = ScriptLatin
				}
				c.letters++
			}
			i++
			continue
		}
		r, size := decode(text[i:])
		script := scriptOf(r)
		if script != c.script && script != ScriptOther {
			if c.script != ScriptOther {
				return i
			}
			c.script = script
		}
		c.count(r, script)
		i += size
	}
	return len(text)
}

func (c *census) count(r rune, script Script) {
	switch {
	case script == ScriptOther:
		if isArmenian(r) {
			c.armenian++
		}
	case script != ScriptCj:
		c.letters++
	case isHiragana(r):
		c.hiragana++
	case isKatakana(r):
		c.katakana++
	default:
		c.han++
	}
}

// winner is the script with most characters.
func (c *census) winner() Script {
	most := c.letters
	if c.script == ScriptCj {
		most = max(c.han, c.hiragana, c.katakana)
	}
	if c.armenian > most {
		return ScriptArmenian
	}
	if most == 0 {
		return ScriptOther
	}
	return c.script
}

// wholeCensus counts a text as one group whatever its scripts: the main script
// wins, kana and han counting apart.
func wholeCensus(text string) census {
	var letters [scriptCount]int
	var c census
	for _, r := range text {
		script := scriptOf(r)
		if script != ScriptOther && script != ScriptCj {
			letters[script]++
			continue
		}
		c.count(r, script)
	}
	for script, n := range letters {
		if n > c.letters {
			c.script, c.letters = Script(script), n
		}
	}
	if max(c.han, c.hiragana, c.katakana) > c.letters {
		c.script = ScriptCj
	}
	return c
}
