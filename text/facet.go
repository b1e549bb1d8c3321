package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	tags "golang.org/x/text/language"

	"shoal/text/language"
)

// MaxFacetBytes bounds the facet form of a value.
const MaxFacetBytes = 468

// FacetForm returns the form under which a string value is filtered, faceted,
// sorted and made distinct (spec ranking 1.11): trimmed, decomposed, lower case,
// cut to [MaxFacetBytes] at a character. Accents survive.
func FacetForm(value string) string {
	value = strings.TrimFunc(value, unicode.IsSpace)
	if form, ok := asciiFacetForm(value); ok {
		return form
	}
	b := make([]byte, 0, len(value)+len(value)/2)
	sigma := false
	for i := 0; i < len(value); {
		r, size := utf8.DecodeRuneInString(value[i:])
		b = appendDecomposed(b, value[i:i+size], r)
		sigma = sigma || r == 'Σ'
		i += size
	}
	form := string(b)
	if sigma || strings.ContainsRune(form, 'Σ') {
		form = cases.Lower(tags.Und).String(form) // Σ is the only letter whose lower case depends on its neighbours
	} else {
		form = strings.Map(unicode.ToLower, form)
	}
	return truncate(form, MaxFacetBytes)
}

// asciiFacetForm is FacetForm for trimmed ASCII. It allocates only for capital letters.
func asciiFacetForm(value string) (string, bool) {
	if !language.IsASCII(value) {
		return "", false
	}
	if len(value) > MaxFacetBytes {
		value = value[:MaxFacetBytes]
	}
	return strings.ToLower(value), true
}

// truncate cuts s to at most n bytes at the start of a character.
func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// FacetSearchForm returns the form under which a facet search finds a facet value: its
// facet form through the whole normaliser as one segment. locales are those of the facet's
// localized rule; for a query, those of the request.
func FacetSearchForm(facetForm string, locales []language.Language) string {
	if isSearchForm(facetForm) {
		return facetForm
	}
	script, c := language.Whole(facetForm)
	n := normaliser{script: script}
	switch len(locales) {
	case 0:
	case 1:
		n.language = locales[0]
	default:
		n.language = language.Of(script, facetForm, &c, locales)
	}
	_, lemma := n.normalise(facetForm)
	for i := range lemma {
		if i >= MaxFacetBytes {
			return strings.Clone(lemma[:i])
		}
	}
	return strings.Clone(lemma)
}

// isSearchForm reports whether a text is ASCII that no language changes. Most values are.
func isSearchForm(s string) bool {
	for i := range len(s) {
		if b := s[i]; b < ' ' || b > '~' || b-'A' < 26 {
			return false
		}
	}
	return len(s) <= MaxFacetBytes
}

// StopWordForm returns the form in which a stop word is stored, shown and compared (spec
// ranking 1.8): decomposed, Swedish letters recomposed, without control characters, Persian
// letters mapped; the case stays. The word is first decomposed as a whole, so letters and
// marks are joined wherever they come from, but not across a control character.
func StopWordForm(word string) string {
	var whole []byte
	for i := 0; i < len(word); {
		r, size := utf8.DecodeRuneInString(word[i:])
		if r < utf8.RuneSelf {
			whole = append(whole, byte(r))
		} else {
			whole = appendDecomposed(whole, word[i:i+size], r)
		}
		i += size
	}
	var form []byte
	letter := byte(0) // at the end of form, 0 when no mark may join it
	for _, r := range string(whole) {
		joined := swedish(letter, r)
		letter = 0
		switch mapped, text := foldPersian(r); {
		case joined != 0:
			form = utf8.AppendRune(form[:len(form)-1], joined)
		case isDroppedControl(r):
		case mapped == 0:
			form = append(form, text...)
		default:
			form = utf8.AppendRune(form, mapped)
			if r < utf8.RuneSelf {
				letter = byte(r)
			}
		}
	}
	return string(form)
}
