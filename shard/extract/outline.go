package extract

import (
	"math"

	"shoal/api/jsonvalue"
	"shoal/query/filter"
)

// outlines are the lines and polygons of a valid GeoJSON object. Points need no check.
type outlines struct {
	lines    []*jsonvalue.Value // lists of positions
	polygons []*jsonvalue.Value // lists of rings
}

func (o *outlines) add(v *jsonvalue.Value) {
	c := v.Get("coordinates")
	switch v.Get("type").String() {
	case "FeatureCollection":
		o.addEach(v.Get("features"))
	case "GeometryCollection":
		o.addEach(v.Get("geometries"))
	case "Feature":
		if g := v.Get("geometry"); !g.IsNull() {
			o.add(g)
		}
	case "LineString":
		o.lines = append(o.lines, c)
	case "MultiLineString":
		for i := range c.Members() {
			o.lines = append(o.lines, &c.Members()[i].Value)
		}
	case "Polygon":
		o.polygons = append(o.polygons, c)
	case "MultiPolygon":
		for i := range c.Members() {
			o.polygons = append(o.polygons, &c.Members()[i].Value)
		}
	}
}

func (o *outlines) addEach(list *jsonvalue.Value) {
	for i := range list.Members() {
		o.add(&list.Members()[i].Value)
	}
}

// check returns the error of what cannot be indexed, or "". The reference looks at lines
// before polygons, and at no holes.
func (o *outlines) check() string {
	for _, line := range o.lines {
		if line.Len() > 1 && !onMap(line) {
			return "every coordinate of the line must be valid"
		}
	}
	for _, polygon := range o.polygons {
		if polygon.Len() == 0 {
			return shortRing
		}
		if fault := checkRing(&polygon.Members()[0].Value); fault != "" {
			return fault
		}
	}
	return ""
}

const shortRing = "invalid ring (not enough coordinate)"

// checkRing checks a ring, which the reference closes if it is open. It must have four
// positions. Those count that the reference puts between two which are far apart.
func checkRing(ring *jsonvalue.Value) string {
	const span = 10_000 // metres
	points := make([]filter.GeoPoint, 0, ring.Len()+1)
	for i := range ring.Members() {
		points = append(points, position(&ring.Members()[i].Value))
	}
	if n := len(points); n > 0 && points[0] != points[n-1] {
		points = append(points, points[0])
	}
	total := len(points)
	for i := 1; i < len(points) && total < 4; i++ {
		if filter.GeoDistance(points[i-1], points[i]) > span {
			total++
		}
	}
	switch {
	case total < 4:
		return shortRing
	case !onMap(ring):
		return "every coordinate of the exterior must be valid"
	}
	return ""
}

// onMap tells whether all positions are twice around the earth at most.
func onMap(line *jsonvalue.Value) bool {
	for i := range line.Members() {
		if p := position(&line.Members()[i].Value); math.Abs(p.Lng) > 360 || math.Abs(p.Lat) > 180 {
			return false
		}
	}
	return true
}

// position reads longitude and latitude.
func position(v *jsonvalue.Value) filter.GeoPoint {
	return filter.GeoPoint{Lng: v.Members()[0].Value.Float(), Lat: v.Members()[1].Value.Float()}
}
