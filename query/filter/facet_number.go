package filter

import (
	"math"

	"shoal/api/apierr"
)

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
