package language

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// RuneSet is an immutable set of characters: a bitmap per page of 256.
type RuneSet struct {
	pages [setPages]*[4]uint64
	// low holds the pages of the first 0x300 characters, which are the frequent ones.
	// beyond holds the few characters after the last page.
	low    [12]uint64
	beyond map[rune]struct{}
}

// setPages covers the basic plane and the one after it.
const setPages = 0x200

// Has tells whether a character is in the set.
func (s *RuneSet) Has(r rune) bool {
	if r < 0x300 {
		return s.low[r>>6]&(1<<(r&63)) != 0
	}
	if page := r >> 8; page < setPages {
		p := s.pages[page]
		return p != nil && p[r>>6&3]&(1<<(r&63)) != 0
	}
	_, ok := s.beyond[r]
	return ok
}

// Add puts a character into the set.
func (s *RuneSet) Add(r rune) {
	switch page := r >> 8; {
	case r < 0x300:
		s.low[r>>6] |= 1 << (r & 63)
	case page < setPages:
		if s.pages[page] == nil {
			s.pages[page] = new([4]uint64)
		}
		s.pages[page][r>>6&3] |= 1 << (r & 63)
	default:
		if s.beyond == nil {
			s.beyond = make(map[rune]struct{})
		}
		s.beyond[r] = struct{}{}
	}
}

// ParseRunes reads a table of this package: hexadecimal code points and ranges.
func ParseRunes(table string) *RuneSet {
	s := new(RuneSet)
	for _, f := range strings.Fields(table) {
		first, last, isRange := strings.Cut(f, "-")
		lo := mustHex(first)
		hi := lo
		if isRange {
			hi = mustHex(last)
		}
		for r := lo; r <= hi; r++ {
			s.Add(r)
		}
	}
	return s
}

// mustHex panics on a typing error in a table, at the start and in every test.
func mustHex(s string) rune {
	n, err := strconv.ParseUint(s, 16, 21)
	if err != nil {
		panic("text: table: " + err.Error())
	}
	return rune(n)
}

// SoleRune returns the character of a string that has exactly one.
func SoleRune(s string) (rune, bool) {
	if len(s) == 0 || len(s) > utf8.UTFMax {
		return 0, false
	}
	r, size := utf8.DecodeRuneInString(s)
	return r, size == len(s) && (r != utf8.RuneError || size > 1)
}

// DecodeRune is utf8.DecodeRuneInString with a fast path for two bytes.
func DecodeRune(s string) (rune, int) {
	if len(s) > 1 && s[0] >= 0xC2 && s[0] < 0xE0 && s[1]&0xC0 == 0x80 {
		return rune(s[0]&0x1F)<<6 | rune(s[1]&0x3F), 2
	}
	return utf8.DecodeRuneInString(s)
}

// IsASCII tells whether a text has only ASCII characters.
func IsASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Each calls f with every character of the set, in no particular order.
func (s *RuneSet) Each(f func(rune)) {
	for r := rune(0); r < setPages<<8; r++ {
		if r >= 0x300 && s.pages[r>>8] == nil {
			r |= 0xFF
			continue
		}
		if s.Has(r) {
			f(r)
		}
	}
	for r := range s.beyond {
		f(r)
	}
}
