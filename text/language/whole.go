package language

// kind is a script as a whole text is counted. The three parts of Cj are kinds of their own.
type kind uint8

// kindHan, kindHiragana and kindKatakana are the parts of ScriptCj, kindArmenian the kind of
// letters that have no script of their own ([ScriptArmenian]).
const (
	kindHan, kindHiragana, kindKatakana = 3, 10, 11
	kindArmenian                        = 24
	kindCount                           = 25
	kindNone                            = kindCount
)

// kindScripts has the script of each kind.
var kindScripts = [kindCount]Script{
	ScriptLatin, ScriptCyrillic, ScriptArabic, ScriptCj, ScriptDevanagari, ScriptHebrew, ScriptEthiopic, ScriptGeorgian, ScriptBengali,
	ScriptHangul, ScriptCj, ScriptCj, ScriptGreek, ScriptKannada, ScriptTamil, ScriptThai, ScriptGujarati, ScriptGurmukhi, ScriptTelugu,
	ScriptMalayalam, ScriptOriya, ScriptMyanmar, ScriptSinhala, ScriptKhmer, ScriptArmenian,
}

// scriptKinds has the kind of each script but ScriptCj, kindNone for ScriptOther.
var scriptKinds = func() (kinds [ScriptCount]kind) {
	kinds[ScriptOther] = kindNone
	for k, script := range kindScripts {
		kinds[script] = kind(k)
	}
	return kinds
}()

// Whole counts a text as one group, whatever its scripts, and returns its main script.
//
// The kinds form a list, in the order of kindScripts at first. A kind moves up by one place
// whenever it is counted, and the first of equally frequent kinds wins (spec ranking 1.3).
func Whole(text string) (Script, Census) {
	var counts [kindCount]int
	var list, place [kindCount]kind
	for k := range list {
		list[k], place[k] = kind(k), kind(k)
	}
	for _, r := range text {
		k := kindOf(r)
		if k == kindNone {
			continue
		}
		counts[k]++
		if at := place[k]; at > 0 {
			above := list[at-1]
			list[at-1], list[at] = k, above
			place[k], place[above] = at-1, at
		}
	}
	c := Census{han: counts[kindHan], hiragana: counts[kindHiragana], katakana: counts[kindKatakana]}
	script, most := ScriptOther, 0
	for _, k := range list {
		if counts[k] > most {
			script, most = kindScripts[k], counts[k]
		}
	}
	return script, c
}

func kindOf(r rune) kind {
	script := scriptOf(r)
	switch {
	case script == ScriptOther && isArmenian(r):
		return kindArmenian
	case script != ScriptCj:
		return scriptKinds[script]
	case isHiragana(r):
		return kindHiragana
	case isKatakana(r):
		return kindKatakana
	}
	return kindHan
}
