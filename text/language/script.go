package language

// Script is the writing system of a group of characters (spec ranking 1.2).
type Script uint8

// The scripts, in the order in which a character is tried against them. Hiragana,
// katakana and han together are ScriptCj.
const (
	ScriptOther Script = iota
	ScriptLatin
	ScriptCyrillic
	ScriptArabic
	ScriptDevanagari
	ScriptHebrew
	ScriptEthiopic
	ScriptGeorgian
	ScriptBengali
	ScriptHangul
	ScriptCj
	ScriptGreek
	ScriptKannada
	ScriptTamil
	ScriptThai
	ScriptGujarati
	ScriptGurmukhi
	ScriptTelugu
	ScriptMalayalam
	ScriptOriya
	ScriptMyanmar
	ScriptSinhala
	ScriptKhmer
	// ScriptArmenian is never the script of a single character here: Armenian letters are
	// neutral and count only when the script of a group is decided.
	ScriptArmenian
	ScriptCount
)

var scriptNames = [ScriptCount]string{
	"Other", "Latin", "Cyrillic", "Arabic", "Devanagari", "Hebrew", "Ethiopic", "Georgian", "Bengali", "Hangul", "Cj", "Greek",
	"Kannada", "Tamil", "Thai", "Gujarati", "Gurmukhi", "Telugu", "Malayalam", "Oriya", "Myanmar", "Sinhala", "Khmer", "Armenian",
}

// String returns the English name of the script.
func (s Script) String() string {
	if s < ScriptCount {
		return scriptNames[s]
	}
	return "Unknown"
}

// span is an inclusive range of code points.
type span struct{ lo, hi rune }

// scriptSpans lists the characters of each script. A character listed twice
// belongs to the script with the smaller number.
var scriptSpans = [ScriptCount][]span{
	ScriptLatin: {{'a', 'z'}, {'A', 'Z'}, {0x80, 0x2AF}, {0x1D00, 0x1DBF}, {0x1E00, 0x1EFF}, {0x2100, 0x214F}, {0x2C60, 0x2C7F},
		{0xA720, 0xA7FF}, {0xAB30, 0xAB6F}},
	ScriptCyrillic:   {{0x400, 0x484}, {0x487, 0x52F}, {0x2DE0, 0x2DFF}, {0xA640, 0xA69D}, {0xA69F, 0xA69F}},
	ScriptArabic:     {{0x600, 0x6FF}, {0x750, 0x7FF}, {0x8A0, 0x8FF}, {0xFB50, 0xFDFF}, {0xFE70, 0xFEFF}, {0x10E60, 0x10E7F}, {0x1EE00, 0x1EEFF}},
	ScriptDevanagari: {{0x900, 0x97F}, {0xA8E0, 0xA8FF}, {0x1CD0, 0x1CFF}},
	ScriptHebrew:     {{0x590, 0x5FF}},
	ScriptEthiopic:   {{0x1200, 0x139F}, {0x2D80, 0x2DDF}, {0xAB00, 0xAB2F}},
	ScriptGeorgian:   {{0x10A0, 0x10FF}},
	ScriptBengali:    {{0x980, 0x9FF}},
	ScriptHangul:     {{0xAC00, 0xD7FF}, {0x1100, 0x11FF}, {0x3130, 0x318F}, {0x3200, 0x32FF}, {0xA960, 0xA97F}, {0xFF00, 0xFFEF}},
	ScriptCj: {{0x3040, 0x309F}, {0x30A0, 0x30FF}, {0x2E80, 0x2E99}, {0x2E9B, 0x2EF3}, {0x2F00, 0x2FD5}, {0x3005, 0x3005}, {0x3007, 0x3007},
		{0x3021, 0x3029}, {0x3038, 0x303B}, {0x3400, 0x4DB5}, {0x4E00, 0x9FCC}, {0xF900, 0xFA6D}, {0xFA70, 0xFAD9}},
	ScriptGreek:     {{0x370, 0x3FF}},
	ScriptKannada:   {{0xC80, 0xCFF}},
	ScriptTamil:     {{0xB80, 0xBFF}},
	ScriptThai:      {{0xE00, 0xE7F}},
	ScriptGujarati:  {{0xA80, 0xAFF}},
	ScriptGurmukhi:  {{0xA00, 0xA7F}},
	ScriptTelugu:    {{0xC00, 0xC7F}},
	ScriptMalayalam: {{0xD00, 0xD7F}},
	ScriptOriya:     {{0xB00, 0xB7F}},
	ScriptMyanmar:   {{0x1000, 0x109F}},
	ScriptSinhala:   {{0xD80, 0xDFF}},
	ScriptKhmer:     {{0x1780, 0x17FF}, {0x19E0, 0x19FF}},
}

// scriptPages holds the script of each character of the basic plane, by pages of
// 256; pages without a script share one.
var scriptPages = buildScriptPages()

func buildScriptPages() (pages [256]*[256]Script) {
	empty := new([256]Script)
	for i := range pages {
		pages[i] = empty
	}
	for s := ScriptCount - 1; s > ScriptOther; s-- {
		for _, sp := range scriptSpans[s] {
			for r := sp.lo; r <= sp.hi && r <= 0xFFFF; r++ {
				if pages[r>>8] == empty {
					pages[r>>8] = new([256]Script)
				}
				pages[r>>8][r&0xFF] = s
			}
		}
	}
	return pages
}

// scriptOf returns the script of a character, ScriptOther for neutral ones.
func scriptOf(r rune) Script {
	if uint32(r) <= 0xFFFF {
		return scriptPages[r>>8][r&0xFF]
	}
	if r >= 0x10E60 && r <= 0x10E7F || r >= 0x1EE00 && r <= 0x1EEFF {
		return ScriptArabic
	}
	return ScriptOther
}

func isArmenian(r rune) bool { return r >= 0x530 && r <= 0x58F || r >= 0xFB13 && r <= 0xFB17 }

func isHiragana(r rune) bool { return r >= 0x3040 && r <= 0x309F }

func isKatakana(r rune) bool { return r >= 0x30A0 && r <= 0x30FF }
