package script

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"shoal/query/script/syntax"
	"shoal/query/script/value"
)

func evalTemplate(n *syntax.Template, m *machine) (value.Value, error) {
	var b strings.Builder
	for _, part := range n.Parts {
		v, err := m.run(part)
		if err != nil {
			return value.Value{}, err
		}
		b.WriteString(m.display(&v))
	}
	v, err := m.newText(b.String())
	return v, n.Pos.At(err)
}

func evalArray(n *syntax.Array, m *machine) (value.Value, error) {
	items := make([]value.Value, 0, len(n.Items))
	for _, item := range n.Items {
		v, err := m.run(item)
		if err != nil {
			return value.Value{}, err
		}
		items = append(items, v.Copied())
	}
	v, err := m.newList(items)
	return v, n.Pos.At(err)
}

func evalMap(n *syntax.Map, m *machine) (value.Value, error) {
	entries := make([]value.Entry, len(n.Keys))
	for i, node := range n.Values {
		v, err := m.run(node)
		if err != nil {
			return value.Value{}, err
		}
		entries[i] = value.Entry{Key: n.Keys[i], Value: v.Copied()}
	}
	if err := m.checkItems(len(entries), "Size of object map"); err != nil {
		return value.Value{}, n.Pos.At(err)
	}
	return value.Object(entries), n.Pos.At(m.allocated(len(entries) * value.ItemBytes))
}

func evalName(n *syntax.Name, m *machine) (value.Value, error) {
	if x := m.find(n.Name); x != nil {
		return x.value, nil
	}
	return value.Value{}, unknown(n)
}

func unknown(n *syntax.Name) error {
	return n.Pos.Fail("Variable not found: "+n.Name).WithKind("ErrorVariableNotFound", value.Detail("variable", n.Name))
}

func evalThis(n *syntax.This, m *machine) (value.Value, error) {
	if m.this == nil {
		return value.Value{}, n.Pos.Fail("'this' not bound").WithKind("ErrorUnboundThis")
	}
	return *m.this, nil
}

func evalProperty(n *syntax.Property, m *machine) (value.Value, error) {
	of, err := m.run(n.Of)
	if err != nil {
		return value.Value{}, err
	}
	return m.readProperty(n, &of)
}

func (m *machine) readProperty(n *syntax.Property, of *value.Value) (value.Value, error) {
	switch {
	case of.Kind == value.KindObject:
		v, _ := of.Dict().Get(n.Name) // a missing property reads as ()
		return v, nil
	case of.Kind == value.KindUnit && n.Elvis:
		return value.Value{}, nil
	}
	if f, ok := methodOf(of, n.Name); ok && f.property {
		v, err := f.run(invoke(m, of, nil))
		if err == nil || !errors.Is(err, errNoMatch) {
			return v, n.Pos.At(err)
		}
	}
	return value.Value{}, badProperty(n.Pos, "Unknown property '"+n.Name+"' - a getter is not registered for type '"+of.TypeName()+"'")
}

func evalIndex(n *syntax.Index, m *machine) (value.Value, error) {
	of, err := m.run(n.Of)
	if err != nil {
		return value.Value{}, err
	}
	if of.Kind == value.KindUnit && n.Elvis {
		return value.Value{}, nil
	}
	by, err := m.run(n.By)
	if err != nil {
		return value.Value{}, err
	}
	return m.readIndex(n, &of, &by)
}

func (m *machine) readIndex(n *syntax.Index, of, by *value.Value) (value.Value, error) {
	switch {
	case of.Kind == value.KindArray && by.Kind == value.KindInt:
		items := of.List().Items
		i, err := element(n, by.Int(), len(items))
		if err != nil {
			return value.Value{}, err
		}
		return items[i], nil
	case of.Kind == value.KindObject && by.Kind == value.KindString:
		v, _ := of.Dict().Get(by.Text)
		return v, nil
	case of.Kind == value.KindString && by.Kind == value.KindInt:
		runes := []rune(of.Text)
		i, ok := position(by.Int(), len(runes))
		if !ok {
			return value.Value{}, syntax.Start(n.By).At(outOfBounds("String", by.Int(), len(runes), "string", "character"))
		}
		return value.Char(runes[i]), nil
	case of.Kind == value.KindString && by.Kind == value.KindRange:
		from, to := textSpan(of.Text, by.Range())
		v, err := m.newText(of.Text[from:to])
		return v, n.Pos.At(err)
	case of.Kind == value.KindInt && by.Kind == value.KindInt:
		set, err := value.Bit(of.Int(), by.Int())
		return value.Bool(set), syntax.Start(n.By).At(err)
	case of.Kind == value.KindInt && by.Kind == value.KindRange:
		bits, err := value.BitsAt(by.Range())
		return value.Int(bits.Of(of.Int())), syntax.Start(n.By).At(err)
	}
	if want := indexType(of.Kind); want != "" {
		return value.Value{}, syntax.Start(n.By).At(value.WrongType(want, by))
	}
	return value.Value{}, notIndexed(n.Pos, of.TypeName()+" ["+by.TypeName()+"]")
}

// indexType is the type that indexes values of a kind, or "" if none does.
func indexType(k value.Kind) string {
	switch k {
	case value.KindArray, value.KindString, value.KindInt:
		return "i64"
	case value.KindObject:
		return "string"
	}
	return ""
}

// element resolves an array index. A negative one counts from the end.
func element(n *syntax.Index, i int64, length int) (int, error) {
	at, ok := position(i, length)
	if !ok {
		return 0, syntax.Start(n.By).At(outOfBounds("Array", i, length, "array", "element"))
	}
	return at, nil
}

func position(i int64, length int) (int, bool) {
	if i < 0 {
		i += int64(length)
	}
	return int(i), i >= 0 && i < int64(length)
}

// outOfBounds returns the error of an index. Its caller adds the place.
func outOfBounds(what string, i int64, length int, of, unit string) error {
	rest := "only " + strconv.Itoa(length) + " " + unit + "s in " + of
	switch length {
	case 0:
		rest = of + " is empty"
	case 1:
		rest = "only 1 " + unit + " in " + of
	}
	return value.Failed(what+" index "+value.Itoa(i)+" out of bounds: "+rest).WithKind("Error"+what+"Bounds",
		value.Entry{Key: "length", Value: value.Int(int64(length))}, value.Entry{Key: "index", Value: value.Int(i)})
}

// badProperty returns the error of a property that cannot be read or written.
func badProperty(at value.Place, message string) error {
	return at.Fail(message).WithKind("ErrorDotExpr", value.Detail("property", message))
}

// notIndexed returns the error of an index that its container does not take.
func notIndexed(at value.Place, access string) error {
	return at.Fail("Indexer unavailable: "+access).WithKind("ErrorIndexingType", value.Detail("type", access))
}

func evalUnary(n *syntax.Unary, m *machine) (value.Value, error) {
	v, err := m.run(n.Of)
	if err != nil {
		return value.Value{}, err
	}
	v.Text = ""
	switch {
	case n.Op == "!" && v.Kind == value.KindBool:
		return value.Bool(!v.Bool()), nil
	case n.Op == "+" && (v.Kind == value.KindInt || v.Kind == value.KindFloat):
		return v, nil
	case n.Op == "-" && v.Kind == value.KindFloat:
		return value.Float(-v.Float()), nil
	case n.Op == "-" && v.Kind == value.KindInt:
		if v.Int() == -v.Int() && v.Int() != 0 {
			return value.Value{}, n.Pos.Fail("Negation overflow: -" + value.Itoa(v.Int())).WithKind(value.ArithmeticKind)
		}
		return value.Int(-v.Int()), nil
	}
	return value.Value{}, n.Pos.At(value.NotFound(n.Op, []value.Value{v}))
}

func evalBinary(n *syntax.Binary, m *machine) (value.Value, error) {
	switch n.Op {
	case "&&", "||":
		left, err := m.truth(n.Left)
		if err != nil || left == (n.Op == "||") {
			return value.Bool(left), err
		}
		right, err := m.truth(n.Right)
		return value.Bool(right), err
	case "??":
		left, err := m.run(n.Left)
		if err != nil || left.Kind != value.KindUnit {
			return left, err
		}
		return m.run(n.Right)
	}
	left, err := m.run(n.Left)
	if err != nil {
		return value.Value{}, err
	}
	if n.Right == nil {
		if left.Kind != value.KindInt {
			return value.Value{}, n.Pos.At(value.NotFound(n.Op, []value.Value{left, {}}))
		}
		return value.Interval(left.Int(), math.MaxInt64, false), nil
	}
	// The right side may modify the result of the left side.
	left = left.Copied()
	right, err := m.run(n.Right)
	if err != nil {
		return value.Value{}, err
	}
	v, err := m.operate(n.Op, &left, &right)
	return v, n.Pos.At(value.Placeless(err))
}

func evalClosure(n *syntax.Closure, m *machine) (value.Value, error) {
	c := &closure{name: n.Fn.Name, fn: n.Fn}
	for _, free := range n.Fn.Free {
		if x := m.find(free); x != nil {
			c.captured = append(c.captured, x)
		}
	}
	return value.Value{Kind: value.KindFunction, Ref: c}, m.allocated(value.ItemBytes * (1 + len(c.captured)))
}
