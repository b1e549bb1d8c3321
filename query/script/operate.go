package script

import "strings"

// operate applies a binary operator.
func (m *machine) operate(op string, a, b *value) (value, error) {
	switch op {
	case "==":
		return boolOf(equal(a, b)), nil
	case "!=":
		return boolOf(!equal(a, b)), nil
	case "<", "<=", ">", ">=":
		return boolOf(compares(op, a, b)), nil
	case "in", "!in":
		found, err := contains(b, a)
		return boolOf(found == (op == "in")), err
	case "..", "..=":
		if a.kind == integer && b.kind == integer {
			return value{kind: interval, ref: &span{from: a.int(), to: b.int(), inclusive: op == "..="}}, nil
		}
	}
	switch {
	case a.kind == integer && b.kind == integer:
		return integers(op, a.int(), b.int())
	case a.kind == boolean && b.kind == boolean:
		if v, ok := booleans(op, a.bool(), b.bool()); ok {
			return v, nil
		}
	case a.kind == float || b.kind == float:
		x, ok := a.number()
		y, ok2 := b.number()
		if ok && ok2 {
			if v, ok := floats(op, x, y); ok {
				return v, nil
			}
		}
	}
	return m.joins(op, a, b)
}

// joins covers the operators of strings, arrays and maps.
func (m *machine) joins(op string, a, b *value) (value, error) {
	textual := func(v *value) bool { return v.kind == text || v.kind == char }
	switch {
	case op == "+" && (textual(a) || textual(b)):
		return m.newText(m.display(a) + m.display(b))
	case op == "-" && a.kind == text && textual(b):
		return m.newText(strings.ReplaceAll(a.text, m.display(b), ""))
	case op == "+" && a.kind == array:
		sum := a.copied()
		if err := m.extend(&sum, b); err != nil {
			return value{}, err
		}
		return sum, nil
	case op == "+" && a.kind == object && b.kind == object:
		sum := a.copied()
		return sum, m.mix(&sum, b)
	}
	return value{}, failed(notFound(op, []value{*a, *b}))
}

// mix sets all properties of another map.
func (m *machine) mix(dst, v *value) error {
	from := v.copied()
	for _, e := range from.dict().entries {
		item := e.value.copied()
		if err := m.setKey(dst, e.key, "", &item); err != nil {
			return err
		}
	}
	return nil
}
