package extract

import (
	"slices"

	"shoal/api/jsonvalue"
)

// geoObject is what is left of a GeoJSON object while its members are taken. Messages show
// what nobody took, in the order that the reference's library leaves: the last member moves
// to the place of one that is taken.
type geoObject []jsonvalue.Member

func newGeoObject(v *jsonvalue.Value) *geoObject {
	o := geoObject(slices.Clone(v.Members()))
	return &o
}

// take removes a member. Without it the value is null and ok is false.
func (o *geoObject) take(name string) (v jsonvalue.Value, ok bool) {
	at := slices.IndexFunc(*o, func(m jsonvalue.Member) bool { return m.Name == name })
	if at < 0 {
		return v, false
	}
	last := len(*o) - 1
	v = (*o)[at].Value
	(*o)[at] = (*o)[last]
	*o = (*o)[:last]
	return v, true
}

// kind takes the type.
func (o *geoObject) kind() (kind, fault string) {
	v, ok := o.take("type")
	switch {
	case !ok:
		return "", missingProperty("type")
	case v.Kind() != jsonvalue.KindString:
		return "", "Expected a String value, but got a `" + v.JSON() + "`"
	}
	return v.String(), ""
}

// box takes the bounding box.
func (o *geoObject) box() string {
	v, _ := o.take("bbox")
	return checkBox(&v)
}

func checkBox(v *jsonvalue.Value) string {
	switch {
	case v.IsNull():
		return ""
	case v.Kind() != jsonvalue.KindArray:
		return "Encountered non-array value for a 'bbox' object: `" + v.JSON() + "`"
	case slices.ContainsFunc(v.Members(), func(m jsonvalue.Member) bool { return !m.Value.IsNumber() }):
		return "Encountered non-numeric value within 'bbox' array"
	}
	return ""
}

// each takes a list of objects and checks them.
func (o *geoObject) each(name string, check func(*geoObject) string) string {
	list, ok := o.take(name)
	if !ok {
		return missingProperty(name)
	}
	if list.Kind() != jsonvalue.KindArray {
		return notArray(kindNames[list.Kind()])
	}
	for i := range list.Members() {
		v := &list.Members()[i].Value
		if v.Kind() != jsonvalue.KindObject {
			return notOwned(v)
		}
		if fault := check(newGeoObject(v)); fault != "" {
			return fault
		}
	}
	return ""
}

var kindNames = map[jsonvalue.Kind]string{
	jsonvalue.KindNull: "Null", jsonvalue.KindBool: "Bool", jsonvalue.KindString: "String", jsonvalue.KindObject: "Object",
	jsonvalue.KindPositive: "Number", jsonvalue.KindNegative: "Number", jsonvalue.KindFloat: "Number",
}

func missingProperty(name string) string {
	return "Expected a GeoJSON property for `" + name + "`, but got None"
}

func unknownGeometry(kind string) string {
	return "Encountered an unknown 'geometry' object type: `" + kind + "`"
}

func notOwned(v *jsonvalue.Value) string {
	return "Expected an owned Object, but got `" + v.JSON() + "`"
}

func notArray(found string) string { return "Expected an Array value, but got `" + found + "`" }

// floats are numbers as the reference's library keeps them.
func floats(list *jsonvalue.Value) jsonvalue.Value {
	out := make([]jsonvalue.Value, list.Len())
	for i := range out {
		out[i] = jsonvalue.FloatValue(list.Members()[i].Value.Float())
	}
	return jsonvalue.ArrayValue(out...)
}
