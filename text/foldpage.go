package text

import (
	"sync"
	"unicode/utf8"
)

// foldPages holds what the frequent characters of a script become, by pages of
// 256.
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

// foldScripts lists the pages worth having; they are filled when a text first has
// the script. No entry depends on the language: Swedish takes the long way.
var foldScripts = [scriptCount]func() *foldPages{
	ScriptOther:    foldLoader(ScriptOther, 0x00),
	ScriptLatin:    foldLoader(ScriptLatin, 0x00, 0x01, 0x02, 0x1E),
	ScriptCyrillic: foldLoader(ScriptCyrillic, 0x04, 0x05),
	ScriptGreek:    foldLoader(ScriptGreek, 0x03),
	ScriptHebrew:   foldLoader(ScriptHebrew, 0x05),
	ScriptThai:     foldLoader(ScriptThai, 0x0E),
	ScriptHangul:   foldLoader(ScriptHangul),
	ScriptKhmer:    foldLoader(ScriptKhmer, 0x17),
}

func foldPagesOf(script Script) *foldPages {
	if load := foldScripts[script]; load != nil {
		return load()
	}
	return nil
}

func foldLoader(script Script, pages ...rune) func() *foldPages {
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
