package text

import (
	_ "embed" // the table
	"strings"
	"sync"
)

// variantLines lists Han characters with several written forms, one group per line: the
// character under which all of them are indexed, then the others. The table is that of the
// crate irg-kvariants; NOTICE names its origin.
//
//go:embed variants.txt
var variantLines string

// variantTable maps a variant to the character under which it is indexed.
type variantTable struct {
	// common is for firstCommon to lastCommon, with 0 for the character itself; rare is for
	// the others.
	common [lastCommon - firstCommon + 1]rune
	rare   map[rune]rune
}

const firstCommon, lastCommon = '\u3400', '\u9fff'

// variants is the table of some 300 KB, made when a text first needs it.
var variants = sync.OnceValue(func() *variantTable {
	t := &variantTable{rare: map[rune]rune{}}
	for line := range strings.Lines(variantLines) {
		standard := rune(0)
		for _, r := range line {
			switch {
			case standard == 0:
				standard = r
			case r >= firstCommon && r <= lastCommon:
				t.common[r-firstCommon] = standard
			case r != '\n':
				t.rare[r] = standard
			}
		}
	}
	return t
})

// unifyHan returns the character under which a Han character is indexed. Some of those are
// variants of others in turn, but a character is replaced only once.
func unifyHan(r rune) rune {
	if r < firstCommon {
		return r
	}
	t := variants()
	if r <= lastCommon {
		if standard := t.common[r-firstCommon]; standard != 0 {
			return standard
		}
		return r
	}
	if standard, ok := t.rare[r]; ok {
		return standard
	}
	return r
}
