package api

import (
	"math"
	"testing"
)

func TestTotalPagesAreThoseOfTheReference(t *testing.T) {
	for _, c := range []struct{ total, size, pages uint64 }{
		{0, 0, 0}, {5, 0, 0}, {0, 3, 0}, {1, 3, 1}, {3, 3, 1}, {4, 3, 2},
		{389, math.MaxUint64 - 388, 1}, {389, math.MaxUint64, 0}, {1, math.MaxUint64, 1}, {0, math.MaxUint64, 0},
	} {
		p := Pagination{PageMode: true, HitsPerPage: c.size, Total: c.total}
		if got := p.TotalPages(); got != c.pages {
			t.Errorf("%d hits by %d: %d pages, not %d", c.total, c.size, got, c.pages)
		}
	}
}
