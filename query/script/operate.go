package script

import (
	"math"
	"strings"

	"shoal/query/script/value"
)

// operate applies a binary operator.
func (m *machine) operate(op string, a, b *value.Value) (value.Value, error) {
	switch op {
	case "==", "!=":
		if a.Kind == b.Kind && incomparable(a, b) && (op == "==" || a.Kind != value.KindRange) {
			return value.Value{}, value.NotFound(op, []value.Value{*a, *b})
		}
		return value.Bool(value.Equal(a, b) == (op == "==")), nil
	case "<", "<=", ">", ">=":
		if a.Kind == b.Kind && (a.Kind == value.KindArray || a.Kind == value.KindObject || a.Kind == value.KindRange || incomparable(a, b)) {
			return value.Value{}, value.NotFound(op, []value.Value{*a, *b})
		}
		return value.Bool(value.Compares(op, a, b)), nil
	case "in", "!in":
		found, err := value.Contains(a, b)
		return value.Bool(found == (op == "in")), err
	case "..", "..=":
		if v, ok := interval(op, a, b); ok {
			return v, nil
		}
	}
	switch {
	case a.Kind == value.KindInt && b.Kind == value.KindInt:
		return value.Integers(op, a.Int(), b.Int())
	case a.Kind == value.KindBool && b.Kind == value.KindBool:
		if v, ok := value.Booleans(op, a.Bool(), b.Bool()); ok {
			return v, nil
		}
	case a.Kind == value.KindFloat || b.Kind == value.KindFloat:
		x, ok := a.Number()
		y, ok2 := b.Number()
		if ok && ok2 {
			if v, ok := value.Floats(op, x, y); ok {
				return v, nil
			}
		}
	}
	return m.joins(op, a, b)
}

// incomparable tells whether two values of one kind have no equality.
func incomparable(a, b *value.Value) bool {
	switch a.Kind {
	case value.KindFunction, value.KindIterator:
		return true
	case value.KindRange:
		return a.Range().Inclusive != b.Range().Inclusive
	}
	return false
}

// interval makes a range. A bound that is () is open.
func interval(op string, a, b *value.Value) (value.Value, bool) {
	from, to := int64(0), int64(math.MaxInt64)
	if a.Kind == value.KindInt {
		from = a.Int()
	}
	if b.Kind == value.KindInt {
		to = b.Int()
	}
	bound := func(v *value.Value) bool { return v.Kind == value.KindInt || v.Kind == value.KindUnit }
	one := a.Kind == value.KindInt || b.Kind == value.KindInt
	return value.Interval(from, to, op == "..="), one && bound(a) && bound(b)
}

// joins implements the operators of strings, arrays and maps.
func (m *machine) joins(op string, a, b *value.Value) (value.Value, error) {
	textual := func(v *value.Value) bool { return v.Kind == value.KindString || v.Kind == value.KindChar }
	switch {
	case op == "+" && (a.Kind == value.KindString || b.Kind == value.KindString || textual(a) && textual(b)):
		return m.newText(m.display(a) + m.display(b))
	case op == "-" && a.Kind == value.KindString && a.Text == "" && b.Kind == value.KindString:
		return *b, nil // as Rhai does
	case op == "-" && a.Kind == value.KindString && textual(b):
		return m.newText(strings.ReplaceAll(a.Text, m.display(b), ""))
	case op == "+" && a.Kind == value.KindArray && b.Kind == value.KindArray:
		sum := a.Copied()
		if err := m.extend(&sum, b); err != nil {
			return value.Value{}, err
		}
		return sum, nil
	case op == "+" && a.Kind == value.KindObject && b.Kind == value.KindObject:
		sum := a.Copied()
		return sum, m.mix(&sum, b)
	}
	return value.Value{}, value.NotFound(op, []value.Value{*a, *b})
}

// mix sets all properties of another map.
func (m *machine) mix(dst, v *value.Value) error {
	from := v.Copied()
	for _, e := range from.Dict().Entries {
		item := e.Value.Copied()
		if err := m.setKey(dst, e.Key, "", &item); err != nil {
			return err
		}
	}
	return nil
}
