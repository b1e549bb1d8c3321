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

// The number of a page is multiplied as in the reference, where the product wraps around.
func TestThePageOfAHugeNumberIsThatOfTheReference(t *testing.T) {
	for _, c := range []struct{ page, size, from, to uint64 }{
		{0, 5, 0, 0}, {3, 5, 10, 15}, {1<<63 + 1, 2, 0, 2}, {math.MaxUint64, 1, math.MaxUint64 - 1, math.MaxUint64}, {2, math.MaxUint64, math.MaxUint64, math.MaxUint64},
	} {
		r := SearchRequest{Page: &c.page, HitsPerPage: &c.size}
		if from, to := r.Window(); from != c.from || to != c.to {
			t.Errorf("page %d of %d hits: from %d to %d", c.page, c.size, from, to)
		}
	}
}
