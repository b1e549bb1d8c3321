package filter

import (
	"bytes"

	"github.com/paulmach/orb"

	"shoal/api/jsonvalue"
)

// shapeName is how the member stands in a stored document.
var shapeName = []byte(`"_geojson"`)

// shapesOf reads the geometries of a document's `_geojson`. Shapes are validated
// when documents come in; what does not read as one is none.
func shapesOf(body []byte) []orb.Geometry {
	if !bytes.Contains(body, shapeName) {
		return nil
	}
	doc, err := jsonvalue.Parse(body)
	if err != nil {
		return nil
	}
	member := doc.Get("_geojson")
	if member == nil {
		return nil
	}
	return appendShapes(nil, member)
}

// appendShapes reads a Geometry, a Feature or a FeatureCollection.
func appendShapes(shapes []orb.Geometry, v *jsonvalue.Value) []orb.Geometry {
	kind := v.Get("type")
	if kind == nil {
		return shapes
	}
	switch kind.String() {
	case "FeatureCollection":
		return appendEach(shapes, v.Get("features"))
	case "GeometryCollection":
		return appendEach(shapes, v.Get("geometries"))
	case "Feature":
		if g := v.Get("geometry"); g != nil {
			return appendShapes(shapes, g)
		}
		return shapes
	}
	c := v.Get("coordinates")
	if c == nil {
		return shapes
	}
	switch kind.String() {
	case "Point":
		if p, ok := position(c); ok {
			shapes = append(shapes, p)
		}
	case "MultiPoint":
		shapes = append(shapes, orb.MultiPoint(positions(c)))
	case "LineString":
		shapes = append(shapes, orb.LineString(positions(c)))
	case "MultiLineString":
		for i := range c.Members() {
			shapes = append(shapes, orb.LineString(positions(&c.Members()[i].Value)))
		}
	case "Polygon":
		shapes = append(shapes, polygon(c))
	case "MultiPolygon":
		for i := range c.Members() {
			shapes = append(shapes, polygon(&c.Members()[i].Value))
		}
	}
	return shapes
}

func appendEach(shapes []orb.Geometry, list *jsonvalue.Value) []orb.Geometry {
	if list == nil {
		return shapes
	}
	for i := range list.Members() {
		shapes = appendShapes(shapes, &list.Members()[i].Value)
	}
	return shapes
}

func polygon(v *jsonvalue.Value) orb.Polygon {
	var p orb.Polygon
	for i := range v.Members() {
		p = append(p, orb.Ring(positions(&v.Members()[i].Value)))
	}
	return p
}

func positions(v *jsonvalue.Value) []orb.Point {
	list := make([]orb.Point, 0, v.Len())
	for i := range v.Members() {
		if p, ok := position(&v.Members()[i].Value); ok {
			list = append(list, p)
		}
	}
	return list
}

// position reads a longitude and a latitude; an altitude is ignored.
func position(v *jsonvalue.Value) (orb.Point, bool) {
	if v.Len() < 2 || v.Kind() != jsonvalue.KindArray {
		return orb.Point{}, false
	}
	lng, lat := &v.Members()[0].Value, &v.Members()[1].Value
	return orb.Point{lng.Float(), lat.Float()}, lng.IsNumber() && lat.IsNumber()
}
