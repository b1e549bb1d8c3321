package script

import (
	"strings"

	"shoal/query/script/value"
)

// operate applies a binary operator.
func (m *machine) operate(op string, a, b *value.Value) (value.Value, error) {
	switch op {
	case "==":
		return value.Bool(value.Equal(a, b)), nil
	case "!=":
		return value.Bool(!value.Equal(a, b)), nil
	case "<", "<=", ">", ">=":
		return value.Bool(value.Compares(op, a, b)), nil
	case "in", "!in":
		found, err := value.Contains(b, a)
		return value.Bool(found == (op == "in")), err
	case "..", "..=":
		if a.Kind == value.KindInt && b.Kind == value.KindInt {
			return value.Value{Kind: value.KindRange, Ref: &value.Range{From: a.Int(), To: b.Int(), Inclusive: op == "..="}}, nil
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

// joins implements the operators of strings, arrays and maps.
func (m *machine) joins(op string, a, b *value.Value) (value.Value, error) {
	textual := func(v *value.Value) bool { return v.Kind == value.KindString || v.Kind == value.KindChar }
	switch {
	case op == "+" && (textual(a) || textual(b)):
		return m.newText(m.display(a) + m.display(b))
	case op == "-" && a.Kind == value.KindString && textual(b):
		return m.newText(strings.ReplaceAll(a.Text, m.display(b), ""))
	case op == "+" && a.Kind == value.KindArray:
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
