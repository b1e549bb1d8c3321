package extract

import (
	"slices"
	"strconv"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
	"shoal/api/settings"
	"shoal/query/filter"
)

// ChecksShapes tells whether a change of settings fails for a document with a wrong
// _geojson: when a rule covers it, be it a pattern, and none did before. Only a plain rule has
// the shapes of later documents read (spec write-api 8.2).
func ChecksShapes(old, fresh *settings.Settings) bool {
	covered := func(s *settings.Settings) bool {
		return slices.ContainsFunc(s.Filterable, func(r settings.FilterableRule) bool { return filter.MatchRule(&r, GeoJSON) == filter.PatternWhole })
	}
	return covered(fresh) && !covered(old)
}

// ReadsShapes tells whether the settings have the _geojson of a new document checked.
func (p *Plan) ReadsShapes() bool { return p.geoJSON }

// CheckShape checks the document's _geojson, if it has one, also where no setting uses it
// (spec write-api 8.2). Errors are *apierr.Error; the messages are those of the reference's
// libraries: one reads GeoJSON, the other one indexes it.
func (x *Extractor) CheckShape() error {
	n := x.member(GeoJSON)
	if n == nil {
		return nil
	}
	v, err := jsonvalue.Parse(x.p.raw(n))
	if err != nil {
		return apierr.New(apierr.CodeInvalidDocumentGeoField, "Error while deserializing JSON: "+err.Error())
	}
	if message := checkShape(&v); message != "" {
		return apierr.New(apierr.CodeInvalidDocumentGeoField, message)
	}
	var o outlines
	o.add(&v)
	if message := o.check(); message != "" {
		return apierr.New(apierr.CodeInternal, message)
	}
	return nil
}

// checkShape returns the error of a GeoJSON object, or "".
func checkShape(v *jsonvalue.Value) string {
	if v.Kind() != jsonvalue.KindObject {
		return notOwned(v)
	}
	kind := v.Get("type")
	if kind == nil || kind.Kind() != jsonvalue.KindString {
		return unknownGeometry("type")
	}
	o := newGeoObject(v)
	switch kind.String() {
	case "FeatureCollection":
		return o.collection()
	case "Feature":
		return o.loneFeature()
	case "GeometryCollection":
		return o.geometry()
	}
	if _, known := coordinateDepths[kind.String()]; !known {
		return "Expected a Feature, FeatureCollection, or Geometry, but got an empty type"
	}
	return o.geometry()
}

func (o *geoObject) collection() string {
	o.take("type")
	if fault := o.box(); fault != "" {
		return fault
	}
	return o.each("features", func(f *geoObject) string {
		_, fault := f.feature()
		return fault
	})
}

// loneFeature reads a feature outside of a collection. It must have a geometry.
func (o *geoObject) loneFeature() string {
	shown, fault := o.feature()
	if fault == "" && shown.Get("geometry").IsNull() {
		return "Attempted to a convert a feature without a geometry into a geo_types::Geometry: `" + shown.JSON() + "`"
	}
	return fault
}

// feature reads a feature and returns it as messages show it.
func (o *geoObject) feature() (shown jsonvalue.Value, fault string) {
	kind, fault := o.kind()
	if fault != "" {
		return shown, fault
	}
	if kind != "Feature" {
		return shown, "Expected a Feature mapping, but got a `" + kind + "`"
	}
	geometry, ok := o.take("geometry")
	switch {
	case !ok:
		return shown, missingProperty("geometry")
	case geometry.Kind() == jsonvalue.KindObject:
		if fault := newGeoObject(&geometry).geometry(); fault != "" {
			return shown, fault
		}
	case !geometry.IsNull():
		return shown, "Encountered neither object type nor null type for 'geometry' field on 'feature' object: `" + geometry.JSON() + "`"
	}
	properties, _ := o.take("properties")
	if properties.Kind() != jsonvalue.KindObject && !properties.IsNull() {
		return shown, "Encountered neither object type nor null type for 'properties' object: `" + properties.JSON() + "`"
	}
	id, identified := o.take("id")
	if identified && id.Kind() != jsonvalue.KindString && !id.IsNumber() {
		return shown, "Encountered neither number type nor string type for 'id' field on 'feature' object: `" + id.JSON() + "`"
	}
	box, _ := o.take("bbox")
	if fault := checkBox(&box); fault != "" {
		return shown, fault
	}
	members := []jsonvalue.Member{{Name: "type", Value: jsonvalue.StringValue("Feature")}, {Name: "geometry", Value: geometry}, {Name: "properties", Value: properties}}
	if !box.IsNull() {
		members = append(members, jsonvalue.Member{Name: "bbox", Value: floats(&box)})
	}
	if identified {
		members = append(members, jsonvalue.Member{Name: "id", Value: id})
	}
	return jsonvalue.ObjectValue(append(members, *o...)...), ""
}

// coordinateDepths tells how many lists of positions lie in each other.
var coordinateDepths = map[string]int{"Point": 0, "MultiPoint": 1, "LineString": 1, "MultiLineString": 2, "Polygon": 2, "MultiPolygon": 3}

func (o *geoObject) geometry() string {
	if fault := o.box(); fault != "" {
		return fault
	}
	kind, fault := o.kind()
	if fault != "" {
		return fault
	}
	if kind == "GeometryCollection" {
		return o.each("geometries", (*geoObject).geometry)
	}
	depth, known := coordinateDepths[kind]
	if !known {
		return unknownGeometry(kind)
	}
	c, ok := o.take("coordinates")
	if !ok {
		return missingProperty("coordinates")
	}
	return checkCoordinates(&c, depth)
}

// checkCoordinates checks positions below depth levels of arrays.
func checkCoordinates(v *jsonvalue.Value, depth int) string {
	if v.Kind() != jsonvalue.KindArray {
		return notArray("None")
	}
	items := v.Members()
	if depth > 0 {
		for i := range items {
			if fault := checkCoordinates(&items[i].Value, depth-1); fault != "" {
				return fault
			}
		}
		return ""
	}
	if len(items) < 2 {
		return "A position must contain two or more elements, but got `" + strconv.Itoa(len(items)) + "`"
	}
	for i := range items {
		if !items[i].Value.IsNumber() {
			return "Expected a floating-point value, but got None"
		}
	}
	return ""
}
