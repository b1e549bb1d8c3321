package filter

import (
	"strconv"
	"strings"

	"shoal/api/jsonvalue"
)

// DistinctKeys returns the values that a document has at a dotted path, as texts that
// are equal for values that distinct takes for equal (spec ranking 6.2): strings in
// facet form, empty ones too, and booleans as their words; numbers, where an integer
// never equals a fraction. Elements of an array count, but not those of an array in
// an array.
func DistinctKeys(doc *jsonvalue.Value, path string) []string {
	var keys []string
	valuesAt(doc, path, func(v *jsonvalue.Value) {
		if key, ok := distinctKey(v); ok {
			keys = append(keys, key)
		}
	})
	return keys
}

// valuesAt calls f for the values at a dotted path; a key may contain dots itself,
// and objects in an array on the way are passed through.
func valuesAt(v *jsonvalue.Value, path string, f func(*jsonvalue.Value)) {
	if v.Kind() != jsonvalue.KindObject {
		return
	}
	for i := range v.Members() {
		m := &v.Members()[i]
		if m.Name == path {
			eachElement(&m.Value, f)
		} else if rest, ok := strings.CutPrefix(path, m.Name+"."); ok {
			eachElement(&m.Value, func(v *jsonvalue.Value) { valuesAt(v, rest, f) })
		}
	}
}

// eachElement calls f for the elements of an array, or for what is none.
func eachElement(v *jsonvalue.Value, f func(*jsonvalue.Value)) {
	if v.Kind() != jsonvalue.KindArray {
		f(v)
		return
	}
	for i := range v.Members() {
		f(&v.Members()[i].Value)
	}
}

func distinctKey(v *jsonvalue.Value) (string, bool) {
	switch v.Kind() {
	case jsonvalue.KindString:
		return "s" + StoredFacetForm(v.String()), true
	case jsonvalue.KindBool:
		return "s" + strconv.FormatBool(v.Bool()), true
	case jsonvalue.KindPositive, jsonvalue.KindNegative:
		return "i" + v.JSON(), true
	case jsonvalue.KindFloat:
		return "f" + strconv.FormatFloat(v.Float()+0, 'g', -1, 64), true // -0 is 0
	}
	return "", false
}
