package liquid

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Values are nil, bool, int, float64, string, list, span, *loopState, and data, the values
// passed in (data.go).

// list holds values.
type list []any

// span is a range of whole numbers, both ends included.
type span struct{ from, to int }

func (s span) length() int {
	if s.to < s.from {
		return 0
	}
	return s.to - s.from + 1
}

// plain converts a value for filters and conditions: JSON values of clients become the
// types above. Objects stay data. A missing member stops the rendering.
func (r *rendering) plain(v any) any {
	if d, ok := v.(data); ok {
		return d.plain(r.budget)
	}
	return v
}

// truth tells whether a condition holds. Everything except nil and false does.
func (r *rendering) truth(v any) bool {
	if d, ok := v.(data); ok && d.missing != nil {
		return false
	}
	v = r.plain(v)
	return v != nil && v != false
}

func (r *rendering) equal(a, b any) bool {
	r.budget.step(1)
	a, b = r.plain(a), r.plain(b)
	if emptyMatch(a, b) || emptyMatch(b, a) {
		return true
	}
	switch a := a.(type) {
	case list:
		other, ok := b.(list)
		return ok && r.equalLists(a, other)
	case int:
		if f, ok := b.(float64); ok {
			return float64(a) == f
		}
	case float64:
		if i, ok := b.(int); ok {
			return a == float64(i)
		}
	case data:
		other, ok := b.(data)
		return ok && a.json == other.json
	case string:
		s, ok := b.(string)
		r.budget.look(min(len(a), len(s)))
		return ok && a == s
	}
	switch b.(type) {
	case list, data:
		return false
	}
	return a == b
}

func (r *rendering) equalLists(a, b list) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !r.equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// less orders numbers, texts and booleans among themselves. It is false for other values.
func (r *rendering) less(a, b any) bool {
	a, b = r.plain(a), r.plain(b)
	switch a := a.(type) {
	case bool:
		b, ok := b.(bool)
		return ok && !a && b
	case int:
		switch b := b.(type) {
		case int:
			return a < b
		case float64:
			return float64(a) < b
		}
	case float64:
		switch b := b.(type) {
		case int:
			return a < float64(b)
		case float64:
			return a < b
		}
	case string:
		s, ok := b.(string)
		r.budget.look(min(len(a), len(s)))
		return ok && a < s
	}
	return false
}

// contains tells whether a text contains another, a list an item, an object a member.
func (r *rendering) contains(v, item any) bool {
	r.budget.step(1)
	if d, ok := v.(data); ok && d.isObject() {
		name, ok := r.plain(item).(string)
		return ok && d.json.Get(name) != nil
	}
	switch v := r.plain(v).(type) {
	case string:
		r.budget.look(len(v))
		return strings.Contains(v, r.text(item))
	case list:
		r.budget.look(itemBytes * len(v))
		for i := range v {
			if r.equal(v[i], item) {
				return true
			}
		}
	}
	return false
}

// member is value.name or value[key], or nil if there is none.
func (r *rendering) member(v, key any) any {
	key = r.plain(key)
	switch v := v.(type) {
	case data:
		return v.member(key)
	case *loopState:
		name, _ := key.(string)
		return v.member(name)
	case string:
		if key == "size" {
			return utf8.RuneCountInString(v)
		}
	case list:
		return v.member(key)
	}
	return nil
}

func (l list) member(key any) any {
	at := 0
	switch k := key.(type) {
	case int:
		at = k
	case float64:
		at = int(k)
	case string:
		switch k {
		case "size":
			return len(l)
		case "first":
		case "last":
			at = -1
		default:
			return nil
		}
	default:
		return nil
	}
	if at < 0 {
		at += len(l)
	}
	if at < 0 || at >= len(l) {
		return nil
	}
	return l[at]
}

// whole converts a value to a whole number, for bounds of ranges and limits of loops.
func (r *rendering) whole(v any) int {
	if d, ok := v.(data); ok {
		if n, ok := d.lenientPlain(r.budget).(int); ok {
			return n
		}
		stop(errWholeNumber)
	}
	n, ok := v.(int)
	if !ok {
		stop(conversionError(v, "int"))
	}
	return n
}

// text is a value as printed.
func (r *rendering) text(v any) string {
	switch v := r.plain(v).(type) {
	case string:
		return v
	case list, data:
		var out strings.Builder
		r.write(&out, v)
		return out.String()
	default:
		return shown(v)
	}
}

// writer takes the bytes of an output.
type writer interface{ WriteString(s string) (int, error) }

// write prints a value. Lists and objects are the concatenation of their values.
func (r *rendering) write(out writer, v any) {
	switch v := r.plain(v).(type) {
	case list:
		for i := range v {
			r.budget.step(1)
			r.write(out, v[i])
		}
	case data:
		r.put(out, v.text(r.budget))
	case string:
		r.put(out, v)
	default:
		r.put(out, shown(v))
	}
}

// put writes a text and counts it in the budget.
func (r *rendering) put(out writer, s string) {
	r.budget.spend(len(s))
	if _, err := out.WriteString(s); err != nil {
		stop(err)
	}
}

// shown converts a scalar to text.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case string:
		return v
	case span:
		return fmt.Sprintf("%d..%d", v.from, v.to)
	}
	return ""
}

// typeName names the kind of a value in messages.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "nil"
	case bool:
		return "bool"
	case int:
		return "int"
	case float64:
		return "float64"
	case string:
		return "string"
	case list:
		return "list"
	case span:
		return "range"
	}
	return "object"
}

// special is a value that only comparisons know: empty and blank.
type special string

// emptyMatch tells whether a is a special value that matches b.
func emptyMatch(a, b any) bool {
	s, ok := a.(special)
	if !ok {
		return false
	}
	switch b := b.(type) {
	case special:
		return s == b
	case string:
		return b == "" || s == "blank" && strings.TrimSpace(b) == ""
	case list:
		return len(b) == 0
	case data:
		return b.json.Len() == 0
	case nil:
		return s == "blank"
	case bool:
		return s == "blank" && !b
	}
	return false
}
