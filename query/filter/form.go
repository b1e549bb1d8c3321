package filter

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"shoal/text"
)

// FilterForm normalises the value of a filter as stored values are (spec ranking
// 1.11). Stored forms are cut to text.MaxFacetBytes, a filter value is not: a
// longer one gets an ending that no stored form has and that compares with all
// of them as the whole value would.
func FilterForm(value string) string {
	form := text.FacetForm(value)
	if len(form) < text.MaxFacetBytes-utf8.UTFMax+1 {
		return form
	}
	value = strings.TrimFunc(value, unicode.IsSpace)
	_, size := utf8.DecodeLastRuneInString(value)
	if text.FacetForm(value[:len(value)-size]) == form {
		// The last character does not show, so the form is cut. What follows is
		// longer than the room left, hence greater in its first byte than whatever
		// a stored form has there.
		return form + "\xff"
	}
	return form
}

// StoredFacetForm is the form in which facet tables hold a string.
func StoredFacetForm(value string) string { return text.FacetForm(value) }
