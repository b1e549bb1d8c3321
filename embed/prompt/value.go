package prompt

import (
	"strconv"
	"strings"

	"github.com/osteele/liquid/expressions"
	"github.com/osteele/liquid/values"

	"shoal/api/jsonvalue"
)

// node is a JSON value as templates see it. A value that is missing fails where
// it is printed or filtered; lenient ones, those of conditions, are nil there.
type node struct {
	json    *jsonvalue.Value
	path    string
	lenient bool
	// missing tells what was asked for where there is nothing.
	missing *lookup
	budget  *budget
}

// lookup is an access to a member that does not exist.
type lookup struct {
	path, name string
	available  []string
}

func (l *lookup) text() string {
	return "liquid: Unknown index\n  with:\n    variable=" + l.path + "\n    requested index=" + l.name +
		"\n    available indexes=" + strings.Join(l.available, ", ") + "\n"
}

var _ values.Value = node{}

// Interface gives scalars as Go values, arrays as slices and objects as they
// are.
func (n node) Interface() any {
	switch {
	case n.missing != nil && n.lenient, n.missing == nil && n.json.IsNull():
		return nil
	case n.missing != nil:
		panic(expressions.InterpreterError(n.missing.text()))
	}
	switch n.json.Kind() {
	case jsonvalue.KindBool:
		return n.json.Bool()
	case jsonvalue.KindString:
		return n.json.String()
	case jsonvalue.KindPositive, jsonvalue.KindNegative:
		if i, err := strconv.Atoi(n.json.JSON()); err == nil {
			return i
		}
		return n.json.Float()
	case jsonvalue.KindFloat:
		return n.json.Float()
	case jsonvalue.KindArray:
		members := n.json.Members()
		n.budget.spend(itemBytes * len(members))
		out := make([]any, len(members))
		for i := range members {
			out[i] = n.element(&members[i].Value, strconv.Itoa(i))
		}
		return out
	}
	return n
}

// element is a value inside n: containers keep their path.
func (n node) element(v *jsonvalue.Value, name string) any {
	child := node{json: v, path: n.path + "." + name, lenient: n.lenient, budget: n.budget}
	if v.Kind() == jsonvalue.KindArray || v.Kind() == jsonvalue.KindObject {
		return child
	}
	return child.Interface()
}

// String prints a value as upstream's templates do: containers are the
// concatenation of what they hold.
func (n node) String() string {
	if n.missing != nil {
		return ""
	}
	var out strings.Builder
	printValue(&out, n.json)
	n.budget.look(out.Len())
	return out.String()
}

func printValue(out *strings.Builder, v *jsonvalue.Value) {
	switch v.Kind() {
	case jsonvalue.KindNull:
	case jsonvalue.KindString:
		out.WriteString(v.String())
	case jsonvalue.KindFloat:
		out.WriteString(strconv.FormatFloat(v.Float(), 'f', -1, 64))
	case jsonvalue.KindArray:
		for i := range v.Members() {
			printValue(out, &v.Members()[i].Value)
		}
	case jsonvalue.KindObject:
		for i := range v.Members() {
			m := &v.Members()[i]
			out.WriteString(m.Name)
			printValue(out, &m.Value)
		}
	default:
		out.WriteString(v.JSON())
	}
}

// Int is asked of ranges and indexes only.
func (n node) Int() int {
	if i, ok := n.plain().(int); ok {
		return i
	}
	panic(expressions.InterpreterError("liquid: Expected whole number"))
}

// plain is the value without failing.
func (n node) plain() any {
	if n.missing != nil {
		return nil
	}
	return n.Interface()
}

func (n node) Equal(other values.Value) bool {
	return values.Equal(n.Interface(), other.Interface())
}

func (n node) Less(other values.Value) bool {
	return values.Less(n.Interface(), other.Interface())
}

func (n node) Contains(other values.Value) bool {
	n.budget.step(1)
	if n.missing == nil && n.json.Kind() == jsonvalue.KindObject {
		name, ok := other.Interface().(string)
		return ok && n.json.Get(name) != nil
	}
	if v := n.Interface(); v != nil {
		n.budget.look(shallow(v))
		return values.ValueOf(v).Contains(other)
	}
	return false
}

func (n node) IndexValue(index values.Value) values.Value { return n.PropertyValue(index) }

// PropertyValue looks a member up: by name in objects, by position (from the end
// when negative), first, last and size in arrays.
func (n node) PropertyValue(index values.Value) values.Value {
	if n.missing != nil {
		return n
	}
	key := index.Interface()
	switch n.json.Kind() {
	case jsonvalue.KindObject:
		name, ok := key.(string)
		if !ok {
			break
		}
		if v := n.json.Get(name); v != nil {
			return node{json: v, path: n.path + "." + name, lenient: n.lenient, budget: n.budget}
		}
		if name == "size" {
			return values.ValueOf(n.json.Len())
		}
	case jsonvalue.KindArray:
		if v, ok := n.item(key); ok {
			return v
		}
	case jsonvalue.KindString:
		if key == "size" {
			return values.ValueOf(len([]rune(n.json.String())))
		}
	}
	l := &lookup{path: n.path, name: keyText(key)}
	for _, m := range n.json.Members() {
		if n.json.Kind() == jsonvalue.KindObject {
			l.available = append(l.available, m.Name)
		}
	}
	return node{missing: l, path: n.path, lenient: n.lenient, budget: n.budget}
}

func (n node) item(key any) (values.Value, bool) {
	members := n.json.Members()
	at := 0
	switch k := key.(type) {
	case int:
		at = k
	case string:
		switch k {
		case "size":
			return values.ValueOf(len(members)), true
		case "first":
		case "last":
			at = -1
		default:
			return nil, false
		}
	default:
		return nil, false
	}
	if at < 0 {
		at += len(members)
	}
	if at < 0 || at >= len(members) {
		return nil, false
	}
	return node{json: &members[at].Value, path: n.path + "." + strconv.Itoa(at), lenient: n.lenient, budget: n.budget}, true
}

func keyText(key any) string {
	switch k := key.(type) {
	case string:
		return k
	case int:
		return strconv.Itoa(k)
	}
	return ""
}

// Test tells whether a condition holds.
func (n node) Test() bool {
	v := n.plain()
	return v != nil && v != false
}
