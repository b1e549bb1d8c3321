package filter

import (
	"math"
	"testing"
)

func TestMinusZeroStandsJustAboveZero(t *testing.T) {
	minus := math.Copysign(0, -1)
	for _, x := range []float64{minus, 0, 1.5, -2, math.MaxFloat64, -math.SmallestNonzeroFloat64, 1e-323} {
		if got := ShownNumber(FacetNumber(x)); got != x || math.Signbit(got) != math.Signbit(x) {
			t.Errorf("%v is shown as %v", x, got)
		}
	}
	if f := FacetNumber(minus); !(f > FacetNumber(0) && f < FacetNumber(math.SmallestNonzeroFloat64)) || NumberText(f) != "-0" {
		t.Errorf("-0 is %v, shown as %s", f, NumberText(f))
	}
}
