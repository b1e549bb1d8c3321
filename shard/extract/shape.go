package extract

import (
	"strconv"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// shape checks _geojson and marks the document (spec write-api 8.2). The messages are
// those of the reference's library.
func (x *Extractor) shape() error {
	n := x.member(GeoJSON)
	if n == nil {
		return nil
	}
	v, err := jsonvalue.Parse(x.p.raw(n))
	if err != nil {
		return err
	}
	if message := checkShape(&v); message != "" {
		return apierr.New(apierr.CodeInvalidDocumentGeoField, message)
	}
	x.values.Shape()
	return nil
}

// checkShape returns the error of a GeoJSON object, or "".
func checkShape(v *jsonvalue.Value) string {
	if v.Kind() != jsonvalue.KindObject {
		return "Expected an owned Object, but got `" + v.JSON() + "`"
	}
	kind := v.Get("type")
	if kind == nil {
		return "Encountered an unknown 'geometry' object type: `type`"
	}
	switch kind.String() {
	case "FeatureCollection":
		return checkEach(v, "features", checkShape)
	case "Feature":
		g := v.Get("geometry")
		if g == nil || g.IsNull() {
			return "Attempted to a convert a feature without a geometry into a geo_types::Geometry: `" + v.JSON() + "`"
		}
		return checkShape(g)
	case "GeometryCollection":
		return checkEach(v, "geometries", checkShape)
	}
	depth, known := map[string]int{
		"Point": 0, "MultiPoint": 1, "LineString": 1, "MultiLineString": 2, "Polygon": 2, "MultiPolygon": 3,
	}[kind.String()]
	if !known {
		return "Expected a Feature, FeatureCollection, or Geometry, but got an empty type"
	}
	c := v.Get("coordinates")
	if c == nil {
		return "Expected a GeoJSON property for `coordinates`, but got None"
	}
	return checkCoordinates(c, depth)
}

func checkEach(v *jsonvalue.Value, name string, check func(*jsonvalue.Value) string) string {
	list := v.Get(name)
	if list == nil {
		return "Expected a GeoJSON property for `" + name + "`, but got None"
	}
	for i := range list.Members() {
		if message := check(&list.Members()[i].Value); message != "" {
			return message
		}
	}
	return ""
}

// checkCoordinates checks positions below depth levels of arrays.
func checkCoordinates(v *jsonvalue.Value, depth int) string {
	if v.Kind() != jsonvalue.KindArray {
		return "Expected a GeoJSON array, but got `" + v.JSON() + "`"
	}
	items := v.Members()
	if depth > 0 {
		for i := range items {
			if message := checkCoordinates(&items[i].Value, depth-1); message != "" {
				return message
			}
		}
		return ""
	}
	if len(items) < 2 {
		return "A position must contain two or more elements, but got `" + strconv.Itoa(len(items)) + "`"
	}
	for i := range items {
		switch items[i].Value.Kind() {
		case jsonvalue.KindPositive, jsonvalue.KindNegative, jsonvalue.KindFloat:
		default:
			return "Expected a floating-point value, but got None"
		}
	}
	return ""
}
