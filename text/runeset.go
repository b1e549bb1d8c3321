package text

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// runeSet is an immutable set of characters: a bitmap per page of 256.
type runeSet struct {
	pages map[rune]*[4]uint64
	// low holds the pages of the first 0x300 characters, the frequent ones.
	low [12]uint64
}

func (s *runeSet) has(r rune) bool {
	if r < 0x300 {
		return s.low[r>>6]&(1<<(r&63)) != 0
	}
	p := s.pages[r>>8]
	return p != nil && p[r>>6&3]&(1<<(r&63)) != 0
}

func (s *runeSet) add(r rune) {
	if r < 0x300 {
		s.low[r>>6] |= 1 << (r & 63)
		return
	}
	p := s.pages[r>>8]
	if p == nil {
		p = new([4]uint64)
		s.pages[r>>8] = p
	}
	p[r>>6&3] |= 1 << (r & 63)
}

// parseRunes reads a table of this package: hexadecimal code points and ranges.
func parseRunes(table string) *runeSet {
	s := &runeSet{pages: make(map[rune]*[4]uint64)}
	for _, f := range strings.Fields(table) {
		first, last, isRange := strings.Cut(f, "-")
		lo := mustHex(first)
		hi := lo
		if isRange {
			hi = mustHex(last)
		}
		for r := lo; r <= hi; r++ {
			s.add(r)
		}
	}
	return s
}

// mustHex panics on a table with a typing error, at start and in every test.
func mustHex(s string) rune {
	n, err := strconv.ParseUint(s, 16, 21)
	if err != nil {
		panic("text: table: " + err.Error())
	}
	return rune(n)
}

// soleRune returns the character of a string that has exactly one.
func soleRune(s string) (rune, bool) {
	if len(s) == 0 || len(s) > utf8.UTFMax {
		return 0, false
	}
	r, size := utf8.DecodeRuneInString(s)
	return r, size == len(s) && (r != utf8.RuneError || size > 1)
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// each calls f with every character of the set, in no particular order.
func (s *runeSet) each(f func(rune)) {
	for r := rune(0); r < 0x300; r++ {
		if s.has(r) {
			f(r)
		}
	}
	for page := range s.pages {
		for r := page << 8; r < page<<8+256; r++ {
			if r >= 0x300 && s.has(r) {
				f(r)
			}
		}
	}
}
