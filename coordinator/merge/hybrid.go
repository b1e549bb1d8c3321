package merge

import (
	"cmp"
	"math"

	"shoal/coordinator/driver"
)

// MergeHybrid merges the two lists of a hybrid search, each best first. Scores have the weight
// ratio on the semantic side and 1 - ratio on the other. Semantic hits win ties, and neither
// list is sorted again (spec ranking 8.4). keep is called in merged order; a hit that it
// rejects is left out. At most limit hits are kept.
func MergeHybrid(semantic, keyword []driver.Hit, ratio float32, keep func(*driver.Hit) bool, limit int) []driver.Hit {
	out := make([]driver.Hit, 0, min(limit, len(semantic)+len(keyword)))
	left := valuesOf(semantic, float64(ratio))
	right := valuesOf(keyword, float64(1-ratio))
	for len(out) < limit && (len(semantic) > 0 || len(keyword) > 0) {
		var hit *driver.Hit
		if len(keyword) == 0 || len(semantic) > 0 && compareHybrid(left[0], right[0]) >= 0 {
			hit, semantic, left = &semantic[0], semantic[1:], left[1:]
		} else {
			hit, keyword, right = &keyword[0], keyword[1:], right[1:]
		}
		if keep(hit) {
			out = append(out, *hit)
		}
	}
	return out
}

func valuesOf(hits []driver.Hit, weight float64) [][]Value {
	out := make([][]Value, len(hits))
	for i := range hits {
		out[i] = Values(hits[i].Details, weight)
	}
	return out
}

// compareHybrid is positive when a is better.
func compareHybrid(a, b []Value) int {
	for i := range min(len(a), len(b)) {
		x, y := &a[i], &b[i]
		scoreX, scoreY := x.Kind <= VectorValue, y.Kind <= VectorValue
		c := 0
		switch {
		case scoreX && scoreY:
			if math.Abs(x.Score-y.Score) > epsilon {
				c = cmp.Compare(x.Score, y.Score)
			}
		case scoreX:
			c = standing(x)
		case scoreY:
			c = -standing(y)
		case x.Kind == GeoValue && y.Kind == GeoValue:
			c = compareNearer(x, y)
		default:
			c, _ = compareValue(x, y)
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// standing compares a score with a value of another kind: the score wins unless it is 0.
func standing(v *Value) int {
	if v.Score == 0 {
		return -1
	}
	return 1
}

// compareNearer prefers the smaller or the larger distance, as the rule does.
func compareNearer(a, b *Value) int {
	if !a.HasDistance || !b.HasDistance {
		return boolean(a.HasDistance) - boolean(b.HasDistance)
	}
	c := cmp.Compare(a.Distance, b.Distance)
	if !a.Desc {
		c = -c
	}
	return c
}
