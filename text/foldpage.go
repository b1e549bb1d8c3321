package text

import (
	"sync"
	"unicode/utf8"

	"shoal/text/language"
)

// foldPages has the folded forms of the frequent characters of a script, in pages of 256.
type foldPages [0x20]*[256]foldEntry

// foldEntry is one character after step 3 and after step 15.
type foldEntry struct{ half, full string }

// entry returns the entry of a character, nil when it is not precomputed.
func (p *foldPages) entry(r rune) *foldEntry {
	if page := int(r >> 8); page < len(p) && p[page] != nil {
		return &p[page][r&0xFF]
	}
	return nil
}

// foldScripts lists the precomputed pages. They are filled when a text first has the
// script. No entry depends on the language: Swedish is folded without them.
var foldScripts = [language.ScriptCount]func() *foldPages{
	language.ScriptOther:    foldLoader(language.ScriptOther, 0x00),
	language.ScriptLatin:    foldLoader(language.ScriptLatin, 0x00, 0x01, 0x02, 0x1E),
	language.ScriptCyrillic: foldLoader(language.ScriptCyrillic, 0x04, 0x05),
	language.ScriptGreek:    foldLoader(language.ScriptGreek, 0x03),
	language.ScriptHebrew:   foldLoader(language.ScriptHebrew, 0x05),
	language.ScriptThai:     foldLoader(language.ScriptThai, 0x0E),
	language.ScriptHangul:   foldLoader(language.ScriptHangul),
	language.ScriptKhmer:    foldLoader(language.ScriptKhmer, 0x17),
}

func foldPagesOf(script language.Script) *foldPages {
	if load := foldScripts[script]; load != nil {
		return load()
	}
	return nil
}

func foldLoader(script language.Script, pages ...rune) func() *foldPages {
	return sync.OnceValue(func() *foldPages {
		p := new(foldPages)
		n := normaliser{script: script}
		for _, page := range pages {
			p[page] = new([256]foldEntry)
			for i := range rune(256) {
				r := page<<8 | i
				if r < utf8.RuneSelf {
					continue
				}
				n.decompose(string(r))
				var full []byte
				for _, d := range string(n.half) {
					full = n.fold(full, d)
				}
				p[page][i] = foldEntry{string(n.half), string(full)}
			}
		}
		return p
	})
}
