package filter

import (
	"strconv"
	"strings"

	"shoal/api"
)

// DistinctKeys returns the values that a document has at a dotted path, as texts that
// are equal for values that distinct takes for equal (spec ranking 6.2): strings in
// facet form, empty ones too, and booleans as their words; numbers, where an integer
// never equals a fraction. Elements of an array count, but not those of an array in
// an array.
func DistinctKeys(doc *api.Value, path string) []string {
	var keys []string
	valuesAt(doc, path, func(v *api.Value) {
		if key, ok := distinctKey(v); ok {
			keys = append(keys, key)
		}
	})
	return keys
}

// valuesAt calls f for the values at a dotted path; a key may contain dots itself,
// and objects in an array on the way are passed through.
func valuesAt(v *api.Value, path string, f func(*api.Value)) {
	if v.Kind() != api.KindObject {
		return
	}
	for i := range v.Members() {
		m := &v.Members()[i]
		if m.Name == path {
			eachElement(&m.Value, f)
		} else if rest, ok := strings.CutPrefix(path, m.Name+"."); ok {
			eachElement(&m.Value, func(v *api.Value) { valuesAt(v, rest, f) })
		}
	}
}

// eachElement calls f for the elements of an array, or for what is none.
func eachElement(v *api.Value, f func(*api.Value)) {
	if v.Kind() != api.KindArray {
		f(v)
		return
	}
	for i := range v.Members() {
		f(&v.Members()[i].Value)
	}
}

func distinctKey(v *api.Value) (string, bool) {
	switch v.Kind() {
	case api.KindString:
		return "s" + StoredFacetForm(v.String()), true
	case api.KindBool:
		return "s" + strconv.FormatBool(v.Bool()), true
	case api.KindPositive, api.KindNegative:
		return "i" + v.JSON(), true
	case api.KindFloat:
		return "f" + strconv.FormatFloat(v.Float()+0, 'g', -1, 64), true // -0 is 0
	}
	return "", false
}
