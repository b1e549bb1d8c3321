package filter

import "github.com/paulmach/orb"

// ShapeBound returns the bounds, in degrees, of all that a document's `_geojson` can touch. ok is
// false if it has no shape.
func ShapeBound(body []byte) (bound orb.Bound, ok bool) {
	for _, shape := range shapesOf(body) {
		bound, ok = extend(bound, ok, shape)
	}
	return bound, ok
}

// extend extends bounds, if there are any, by those of a shape as touches sees it.
func extend(bound orb.Bound, any bool, shape orb.Geometry) (orb.Bound, bool) {
	var own orb.Bound
	switch s := shape.(type) {
	case orb.Point:
		own = s.Bound()
	case orb.MultiPoint:
		if len(s) == 0 {
			return bound, any
		}
		own = s.Bound()
	case orb.LineString:
		if len(s) == 0 {
			return bound, any
		}
		own = breakUp(s, shapeStep).Bound()
	case orb.MultiLineString:
		for _, line := range s {
			bound, any = extend(bound, any, line)
		}
		return bound, any
	case orb.Ring:
		return extend(bound, any, orb.LineString(s))
	case orb.Polygon:
		if len(s) == 0 {
			return bound, any
		}
		return extend(bound, any, s[0])
	case orb.MultiPolygon:
		for _, p := range s {
			bound, any = extend(bound, any, p)
		}
		return bound, any
	case orb.Collection:
		for _, g := range s {
			bound, any = extend(bound, any, g)
		}
		return bound, any
	default:
		return bound, any
	}
	if any {
		own = own.Union(bound)
	}
	return own, true
}

// touches tells whether a shape and the region have a point in common.
func (r region) touches(shape orb.Geometry) bool {
	switch s := shape.(type) {
	case orb.Point:
		return inRing(s, r.ring, r.bound)
	case orb.MultiPoint:
		for _, p := range s {
			if inRing(p, r.ring, r.bound) {
				return true
			}
		}
	case orb.LineString:
		return r.touchesLine(breakUp(s, shapeStep))
	case orb.MultiLineString:
		for _, line := range s {
			if r.touchesLine(breakUp(line, shapeStep)) {
				return true
			}
		}
	case orb.Ring:
		return r.touchesPolygon(orb.Polygon{s})
	case orb.Polygon:
		return r.touchesPolygon(s)
	case orb.MultiPolygon:
		for _, p := range s {
			if r.touchesPolygon(p) {
				return true
			}
		}
	case orb.Collection:
		for _, g := range s {
			if r.touches(g) {
				return true
			}
		}
	}
	return false
}

func (r region) touchesLine(line orb.Ring) bool {
	if len(line) == 0 || !r.bound.Intersects(line.Bound()) {
		return false
	}
	for _, p := range line {
		if inRing(p, r.ring, r.bound) {
			return true
		}
	}
	return crosses(line, r.ring)
}

func (r region) touchesPolygon(p orb.Polygon) bool {
	if len(p) == 0 || len(p[0]) == 0 {
		return false
	}
	rings := make([]orb.Ring, len(p))
	for i, ring := range p {
		rings[i] = breakUp(orb.LineString(ring), shapeStep)
	}
	bound := rings[0].Bound()
	if !r.bound.Intersects(bound) {
		return false
	}
	for _, ring := range rings {
		if r.touchesLine(ring) {
			return true
		}
	}
	// No edges meet: the region lies inside the polygon as a whole, or outside (in
	// a hole counts as outside).
	start := r.ring[0]
	if !inRing(start, rings[0], bound) {
		return false
	}
	for _, hole := range rings[1:] {
		if len(hole) > 0 && inRing(start, hole, hole.Bound()) {
			return false
		}
	}
	return true
}

// inRing tells whether a point lies inside a ring or on it.
func inRing(p orb.Point, ring orb.Ring, bound orb.Bound) bool {
	if !bound.Contains(p) {
		return false
	}
	inside := false
	for i := 1; i < len(ring); i++ {
		a, b := ring[i-1], ring[i]
		if onSegment(p, a, b) {
			return true
		}
		if (a[1] > p[1]) != (b[1] > p[1]) && p[0] < (b[0]-a[0])*(p[1]-a[1])/(b[1]-a[1])+a[0] {
			inside = !inside
		}
	}
	return inside
}

func onSegment(p, a, b orb.Point) bool {
	return side(a, b, p) == 0 &&
		min(a[0], b[0]) <= p[0] && p[0] <= max(a[0], b[0]) &&
		min(a[1], b[1]) <= p[1] && p[1] <= max(a[1], b[1])
}

// side is positive when c lies left of the line from a to b, negative right of
// it, zero on it.
func side(a, b, c orb.Point) float64 {
	return (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0])
}

// crosses tells whether any edges of two lines meet.
func crosses(line, ring orb.Ring) bool {
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		left, right := min(a[0], b[0]), max(a[0], b[0])
		low, high := min(a[1], b[1]), max(a[1], b[1])
		for j := 1; j < len(ring); j++ {
			c, d := ring[j-1], ring[j]
			if max(c[0], d[0]) < left || min(c[0], d[0]) > right || max(c[1], d[1]) < low || min(c[1], d[1]) > high {
				continue
			}
			if meet(a, b, c, d) {
				return true
			}
		}
	}
	return false
}

func meet(a, b, c, d orb.Point) bool {
	s1, s2, s3, s4 := side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)
	if (s1 > 0) != (s2 > 0) && (s3 > 0) != (s4 > 0) && s1 != 0 && s2 != 0 && s3 != 0 && s4 != 0 {
		return true
	}
	return onSegment(c, a, b) || onSegment(d, a, b) || onSegment(a, c, d) || onSegment(b, c, d)
}
