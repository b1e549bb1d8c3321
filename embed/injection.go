package embed

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"shoal/api/apierr"
	"shoal/api/jsonvalue"
)

// Placeholders of request and response templates.
const (
	textPlaceholder     = "{{text}}"
	fragmentPlaceholder = "{{fragment}}"
	vectorPlaceholder   = "{{embedding}}"
	repeatPlaceholder   = "{{..}}"
)

// step is one component of a path inside a JSON value: a key, or a position.
type step struct {
	key   string
	index int
	array bool
}

// injection is a JSON template. Either one place in it stands for a value, or one element
// of an array is repeated and has such a place.
type injection struct {
	template jsonvalue.Value
	// path leads to the placeholder. If repeated is set, path leads to the array, and item
	// from an element to the placeholder.
	path     []step
	item     []step
	repeated bool
}

// newInjection finds the placeholder. ok is false if there is none. The settings have
// checked the rest of the template.
func newInjection(template jsonvalue.Value, placeholder string) (*injection, bool) {
	in := &injection{template: template}
	return in, in.find(&template, placeholder, nil)
}

func (in *injection) find(v *jsonvalue.Value, placeholder string, path []step) bool {
	switch v.Kind() {
	case jsonvalue.KindString:
		if v.String() != placeholder {
			return false
		}
		in.path = append([]step(nil), path...)
		return true
	case jsonvalue.KindArray:
		members := v.Members()
		if len(members) > 1 && isText(&members[1].Value, repeatPlaceholder) {
			inner := &injection{}
			if !inner.find(&members[0].Value, placeholder, nil) {
				return false
			}
			in.path, in.item, in.repeated = append([]step(nil), path...), inner.path, true
			return true
		}
		for i := range members {
			if in.find(&members[i].Value, placeholder, append(path, step{index: i, array: true})) {
				return true
			}
		}
	case jsonvalue.KindObject:
		for i := range v.Members() {
			m := &v.Members()[i]
			if in.find(&m.Value, placeholder, append(path, step{key: m.Name})) {
				return true
			}
		}
	}
	return false
}

func isText(v *jsonvalue.Value, text string) bool {
	return v.Kind() == jsonvalue.KindString && v.String() == text
}

// inject returns the template with values in place of the placeholder: all of them if it is
// repeated, otherwise the first.
func (in *injection) inject(values []jsonvalue.Value) jsonvalue.Value {
	if !in.repeated {
		return replaced(&in.template, in.path, values[0])
	}
	array := in.at(in.path)
	items := make([]jsonvalue.Value, len(values))
	for i, v := range values {
		items[i] = replaced(&array.Members()[0].Value, in.item, v)
	}
	return replaced(&in.template, in.path, jsonvalue.ArrayValue(items...))
}

// at follows a path that find returned.
func (in *injection) at(path []step) *jsonvalue.Value {
	v := &in.template
	for _, s := range path {
		if s.array {
			v = &v.Members()[s.index].Value
		} else {
			v = v.Get(s.key)
		}
	}
	return v
}

// replaced copies v along the path and sets the value at its end.
func replaced(v *jsonvalue.Value, path []step, value jsonvalue.Value) jsonvalue.Value {
	if len(path) == 0 {
		return value
	}
	members := append([]jsonvalue.Member(nil), v.Members()...)
	s := path[0]
	for i := range members {
		if s.array && i == s.index || !s.array && members[i].Name == s.key {
			members[i].Value = replaced(&members[i].Value, path[1:], value)
		}
	}
	if !s.array {
		return jsonvalue.ObjectValue(members...)
	}
	items := make([]jsonvalue.Value, len(members))
	for i := range members {
		items[i] = members[i].Value
	}
	return jsonvalue.ArrayValue(items...)
}

// extract reads the vectors of a response.
func (in *injection) extract(response *jsonvalue.Value) ([][]float32, *Error) {
	if !in.repeated {
		v, err := walk(response, in.path, `extracting a single "`+vectorPlaceholder+`"`)
		if err != nil {
			return nil, err
		}
		one, err := numbers(v, in.path, `extracting a single "`+vectorPlaceholder+`"`)
		return [][]float32{one}, err
	}
	doing := `extracting the array of "` + vectorPlaceholder + `"s`
	array, err := walk(response, in.path, doing)
	if err != nil {
		return nil, err
	}
	if array.Kind() != jsonvalue.KindArray {
		return nil, wrongContainer(in.path, step{array: true}, array, doing)
	}
	out := make([][]float32, array.Len())
	for i := range array.Members() {
		doing := fmt.Sprintf(`extracting item #%d from the array of "%s"s`, i, vectorPlaceholder)
		v, err := walk(&array.Members()[i].Value, in.item, doing)
		if err != nil {
			return nil, err
		}
		if out[i], err = numbers(v, in.item, doing); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// walk follows a path inside a response.
func walk(v *jsonvalue.Value, path []step, doing string) (*jsonvalue.Value, *Error) {
	for i, s := range path {
		done := path[:i]
		var next *jsonvalue.Value
		switch {
		case s.array && v.Kind() != jsonvalue.KindArray, !s.array && v.Kind() != jsonvalue.KindObject:
			return nil, wrongContainer(done, s, v, doing)
		case s.array && s.index < v.Len():
			next = &v.Members()[s.index].Value
		case !s.array:
			next = v.Get(s.key)
		}
		if next == nil {
			return nil, missingPart(done, s, v, doing)
		}
		v = next
	}
	return v, nil
}

func extractionError(text string) *Error {
	return runtimeError("error extracting embeddings from the response:\n  - " + text)
}

func missingPart(done []step, s step, v *jsonvalue.Value, doing string) *Error {
	what, hint := "item #"+strconv.Itoa(s.index), ""
	if !s.array {
		what = `key "` + s.key + `"`
		for i := range v.Members() {
			name := v.Members()[i].Name
			if apierr.WithinTypos(s.key, name, 2) {
				hint = "\n  - Hint: " + lastNamed(done) + " has key `" + name + "`, did you mean " +
					pathText(append(append([]step(nil), done...), step{key: name})) + " in embedder configuration?"
				break
			}
		}
	}
	return extractionError("in " + pathText(done) + ", while " + doing + ", configuration expects " + what + ", which is missing in response" + hint)
}

func wrongContainer(done []step, s step, v *jsonvalue.Value, doing string) *Error {
	what := fmt.Sprintf("an array with at least %d item(s)", s.index+1)
	if !s.array {
		what = "an object with key `" + s.key + "`"
	}
	found := v.JSON()
	switch v.Kind() {
	case jsonvalue.KindArray:
		found = fmt.Sprintf("an array of size %d", v.Len())
	case jsonvalue.KindObject:
		found = fmt.Sprintf("an object with %d field(s)", v.Len())
	}
	return extractionError("in " + pathText(done) + ", while " + doing + ", configuration expects " + lastNamed(done) + " to be " + what + " but server sent " + found)
}

// numbers reads one vector.
func numbers(v *jsonvalue.Value, path []step, doing string) ([]float32, *Error) {
	bad := func(found string) *Error {
		return extractionError("in " + pathText(path) + ", while " + doing + ", expected " + lastNamed(path) +
			" to be an array of numbers, but failed to parse server response:\n  - invalid type: " + found)
	}
	if v.Kind() != jsonvalue.KindArray {
		return nil, bad(v.Describe() + ", expected a sequence")
	}
	out := make([]float32, v.Len())
	for i := range v.Members() {
		switch x := &v.Members()[i].Value; x.Kind() {
		case jsonvalue.KindPositive, jsonvalue.KindNegative, jsonvalue.KindFloat:
			if out[i] = float32(x.Float()); math.IsInf(float64(out[i]), 0) {
				return nil, bad("number `" + x.JSON() + "` is out of range, expected f32")
			}
		default:
			return nil, bad(x.Describe() + ", expected f32")
		}
	}
	return out, nil
}

func pathText(path []step) string {
	var out strings.Builder
	out.WriteString("`response")
	for _, s := range path {
		if s.array {
			out.WriteString("[" + strconv.Itoa(s.index) + "]")
		} else {
			out.WriteString("." + s.key)
		}
	}
	out.WriteByte('`')
	return out.String()
}

// lastNamed names the end of a path by its last key.
func lastNamed(path []step) string {
	name, index, depth := "response", 0, 0
	for _, s := range path {
		if s.array {
			index, depth = s.index, depth+1
		} else {
			name, depth = s.key, 0
		}
	}
	switch depth {
	case 0:
		return "`" + name + "`"
	case 1:
		return fmt.Sprintf("item #%d inside `%s`", index, name)
	case 2:
		return fmt.Sprintf("item #%d inside nested array in `%s`", index, name)
	}
	return fmt.Sprintf("item #%d inside nested array (%d levels of nesting) in `%s`", index, depth-1, name)
}
