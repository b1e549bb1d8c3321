package search

import (
	"math"
	"testing"

	"shoal/api"
	"shoal/api/settings"
)

// Similar documents are shown as far as there are any.
func TestMaxTotalHitsDoesNotBoundSimilarDocuments(t *testing.T) {
	settings := settings.Default()
	settings.MaxTotalHits = 2
	for _, c := range []struct {
		offset, limit uint64
		from, size    int
	}{
		{0, 5, 0, 5},
		{3, 20, 3, 4},
		{7, 20, 7, 0},
		{math.MaxUint64, math.MaxUint64, 7, 0},
		{1, math.MaxUint64, 1, 6},
	} {
		s := &similarSearch{plan: &Plan{Settings: settings}, request: &api.SimilarRequest{Offset: c.offset, Limit: c.limit}}
		if s.window(7); s.offset != c.from || s.limit != c.size {
			t.Errorf("offset %d, limit %d: %d hits from %d, want %d from %d", c.offset, c.limit, s.limit, s.offset, c.size, c.from)
		}
	}
}
