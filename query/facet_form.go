package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// MaxFacetBytes is the length to which stored facet strings are cut.
const MaxFacetBytes = 468

// FacetForm normalises a string for filters, sorts, distinct and facets (spec
// ranking 1.11): blanks trimmed, every character NFKD-decomposed, lower case.
// Accents survive. The result is not cut: a filter value longer than a stored
// value never equals it.
func FacetForm(s string) string {
	s = strings.TrimFunc(s, unicode.IsSpace)
	if plain, ok := lowerASCII(s); ok {
		return plain
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			b.WriteByte(s[i])
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		if d := norm.NFKD.PropertiesString(s[i : i+size]).Decomposition(); d != nil {
			b.Write(d)
		} else {
			b.WriteString(norm.NFKD.String(s[i : i+size])) // Hangul decomposes by rule
		}
		i += size
	}
	text := b.String()
	if strings.ContainsRune(text, 'Σ') {
		// Only the final sigma needs more than a character at a time.
		return cases.Lower(language.Und).String(text)
	}
	return strings.ToLower(text)
}

// lowerASCII lowers a string of ASCII only, without copying when nothing changes.
func lowerASCII(s string) (string, bool) {
	upper := false
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return "", false
		}
		upper = upper || s[i] >= 'A' && s[i] <= 'Z'
	}
	if !upper {
		return s, true
	}
	return strings.ToLower(s), true
}

// StoredFacetForm is FacetForm cut to MaxFacetBytes at a character boundary, as
// the facet tables hold it.
func StoredFacetForm(s string) string {
	s = FacetForm(s)
	if len(s) <= MaxFacetBytes {
		return s
	}
	end := MaxFacetBytes
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}
