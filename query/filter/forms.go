package filter

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"shoal/api/apierr"
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

// minusZero is what stands for -0 among facet numbers. There it is a value of its
// own, just above 0 and below every positive number, as upstream; so it takes the
// place of the smallest number above 0, which nobody has, and everything that
// compares, sorts or sends numbers needs to know nothing of it.
const minusZero = math.SmallestNonzeroFloat64

// FacetNumber is the facet number of a number of a document or of a condition:
// itself but for -0, and for 5e-324, which gives way to it and counts as 1e-323.
func FacetNumber(x float64) float64 {
	switch {
	case x == 0 && math.Signbit(x):
		return minusZero
	case x == minusZero:
		return 2 * minusZero
	}
	return x
}

// ShownNumber is the number that a facet number stands for.
func ShownNumber(x float64) float64 {
	if x == minusZero {
		return math.Copysign(0, -1)
	}
	return x
}

// NumberText renders a facet number as lists of facet values show it.
func NumberText(x float64) string { return apierr.DisplayFloat(ShownNumber(x)) }
