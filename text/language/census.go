package language

import "unicode/utf8"

// Take counts the first group of text and returns its length.
func (c *Census) Take(text string) int {
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
		r, size := DecodeRune(text[i:])
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

func (c *Census) count(r rune, script Script) {
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

// Winner is the script with most characters.
func (c *Census) Winner() Script {
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
