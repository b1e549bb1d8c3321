package liquid

import (
	"math"
	"strconv"
	"strings"

	"shoal/api/jsonvalue"
)

// Values are nil, bool, int, float64, string, state, list, object, and data, the arrays
// that were passed in. opened makes lists of these.

// list holds values.
type list []any

// object has named values in a fixed order. The reference shows the members of an object in
// the order of a hash table, another each time.
type object interface {
	names() []string
	get(name string) (any, bool)
}

// state is a property that the words empty and blank stand for. Comparisons test a value for
// it.
type state int

const (
	stateTruthy state = iota
	stateDefault
	stateEmpty
	stateBlank
)

// itemBytes is the memory of a list element, without the value it refers to.
const itemBytes = 16

// data is an array or an object of JSON.
type data struct{ json *jsonvalue.Value }

// JSON makes a value for a template.
func JSON(v *jsonvalue.Value) any {
	switch v.Kind() {
	case jsonvalue.KindNull:
		return nil
	case jsonvalue.KindBool:
		return v.Bool()
	case jsonvalue.KindString:
		return v.String()
	case jsonvalue.KindPositive, jsonvalue.KindNegative:
		text := v.JSON()
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
		return text // as in the reference, which has no larger numbers
	case jsonvalue.KindFloat:
		return v.Float()
	case jsonvalue.KindObject:
		return data{v}
	}
	return array{v}
}

// List makes a list of values.
func List(items []any) any { return list(items) }

func (d data) names() []string {
	out := make([]string, d.json.Len())
	for i := range d.json.Members() {
		out[i] = d.json.Members()[i].Name
	}
	return out
}

func (d data) get(name string) (any, bool) {
	if v := d.json.Get(name); v != nil {
		return JSON(v), true
	}
	return nil, false
}

// array is an array of JSON.
type array struct{ json *jsonvalue.Value }

// opened is the value with an array of JSON made a list.
func opened(v any) any {
	a, ok := v.(array)
	if !ok {
		return v
	}
	out := make(list, a.json.Len())
	for i := range out {
		out[i] = JSON(&a.json.Members()[i].Value)
	}
	return out
}

// isScalar tells whether a value is a boolean, a number or a text.
func isScalar(v any) bool {
	switch v.(type) {
	case bool, int, float64, string:
		return true
	}
	return false
}

// whole is a value as a whole number. Only whole numbers and texts of one are.
func whole(v any) (int, bool) {
	switch v := v.(type) {
	case int:
		return v, true
	case string:
		n, err := strconv.Atoi(v)
		return n, err == nil
	}
	return 0, false
}

// fraction is a value as a number.
func fraction(v any) (float64, bool) {
	switch v := v.(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	case string:
		return fractionOf(v)
	}
	return 0, false
}

// fractionOf parses a decimal number, an infinity or NaN. Too large numbers are infinite.
func fractionOf(s string) (float64, bool) {
	if strings.ContainsAny(s, "xXpP_") {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil || math.IsInf(f, 0)
}

// textOf is a value as printed. Lists and objects are the concatenation of what they hold.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case list, array, object:
		var out strings.Builder
		printTo(&out, v)
		return out.String()
	}
	return shown(v)
}

// printTo prints a value.
func printTo(out *strings.Builder, v any) {
	switch v := v.(type) {
	case string:
		out.WriteString(v)
	case list:
		for i := range v {
			printTo(out, v[i])
		}
	case array:
		Print(out, v.json)
	case data:
		Print(out, v.json)
	case object:
		for _, name := range v.names() {
			out.WriteString(name)
			m, _ := v.get(name)
			printTo(out, m)
		}
	default:
		out.WriteString(shown(v))
	}
}

// Print writes a value of JSON as templates do. Arrays and objects are the concatenation of
// their values.
func Print(out *strings.Builder, v *jsonvalue.Value) {
	switch v.Kind() {
	case jsonvalue.KindNull:
	case jsonvalue.KindString:
		out.WriteString(v.String())
	case jsonvalue.KindFloat:
		out.WriteString(shown(v.Float()))
	case jsonvalue.KindArray:
		for i := range v.Members() {
			Print(out, &v.Members()[i].Value)
		}
	case jsonvalue.KindObject:
		for i := range v.Members() {
			m := &v.Members()[i]
			out.WriteString(m.Name)
			Print(out, &m.Value)
		}
	default:
		out.WriteString(v.JSON())
	}
}

// shown converts a scalar to text. nil and states are empty.
func shown(v any) string {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case float64:
		if math.IsInf(v, 0) {
			return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(v, 'f', -1, 64)), "+")
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	case string:
		return v
	}
	return ""
}

// sourceOf is a value as messages show it.
func sourceOf(v any) string {
	switch v := opened(v).(type) {
	case string:
		return `"` + v + `"`
	case list:
		var out strings.Builder
		out.WriteByte('[')
		for i := range v {
			printTo(&out, v[i])
			out.WriteString(", ")
		}
		return out.String() + "]"
	case object:
		var out strings.Builder
		out.WriteByte('{')
		for _, name := range v.names() {
			m, _ := v.get(name)
			out.WriteString(`"` + name + `": `)
			printTo(&out, m)
			out.WriteString(", ")
		}
		return out.String() + "}"
	case nil, state:
		return typeName(v)
	default:
		return shown(v)
	}
}

// typeName names the kind of a value in messages.
func typeName(v any) string {
	switch v := v.(type) {
	case bool:
		return "boolean"
	case int:
		return "whole number"
	case float64:
		return "fractional number"
	case string:
		return "string"
	case list, array:
		return "array"
	case object:
		return "object"
	case state:
		if v == stateEmpty {
			return "empty"
		}
		return "blank"
	}
	return "nil"
}
