package script

import "strings"

func evalTemplate(n *template, m *machine) (value, error) {
	var b strings.Builder
	for _, part := range n.parts {
		v, err := m.run(part)
		if err != nil {
			return value{}, err
		}
		b.WriteString(m.display(&v))
	}
	v, err := m.newText(b.String())
	return v, n.pos.at(err)
}

func evalArray(n *arrayLit, m *machine) (value, error) {
	items := make([]value, 0, len(n.items))
	for _, item := range n.items {
		v, err := m.run(item)
		if err != nil {
			return value{}, err
		}
		items = append(items, v.copied())
	}
	v, err := m.newList(items)
	return v, n.pos.at(err)
}

func evalMap(n *mapLit, m *machine) (value, error) {
	entries := make([]entry, len(n.keys))
	for i, node := range n.values {
		v, err := m.run(node)
		if err != nil {
			return value{}, err
		}
		entries[i] = entry{n.keys[i], v.copied()}
	}
	if err := m.checkItems(len(entries), "Size of object map"); err != nil {
		return value{}, n.pos.at(err)
	}
	return dictOf(entries), n.pos.at(m.allocated(len(entries) * itemBytes))
}

func evalName(n *name, m *machine) (value, error) {
	if x := m.find(n.name); x != nil {
		return x.value, nil
	}
	return value{}, unknown(n)
}

func unknown(n *name) error { return n.pos.fail("Variable not found: " + n.name) }

func evalThis(n *this, m *machine) (value, error) {
	if m.this == nil {
		return value{}, n.pos.fail("'this' not bound")
	}
	return *m.this, nil
}

func evalProperty(n *property, m *machine) (value, error) {
	of, err := m.run(n.of)
	if err != nil {
		return value{}, err
	}
	return readProperty(n, &of)
}

func readProperty(n *property, of *value) (value, error) {
	switch {
	case of.kind == object:
		v, _ := of.dict().get(n.name) // a missing property reads as ()
		return v, nil
	case of.kind == unit && n.elvis:
		return value{}, nil
	case of.kind == interval && !of.span().open:
		if v, ok := spanProperty(of.span(), n.name); ok {
			return v, nil
		}
	}
	return value{}, n.pos.fail("Unknown property '" + n.name + "' - a getter is not registered for type '" + of.kind.name() + "'")
}

func spanProperty(s *span, name string) (value, bool) {
	switch name {
	case "start":
		return intOf(s.from), true
	case "end":
		return intOf(s.to), true
	case "is_inclusive":
		return boolOf(s.inclusive), true
	case "is_exclusive":
		return boolOf(!s.inclusive), true
	}
	return value{}, false
}

func evalIndex(n *index, m *machine) (value, error) {
	of, err := m.run(n.of)
	if err != nil {
		return value{}, err
	}
	if of.kind == unit && n.elvis {
		return value{}, nil
	}
	by, err := m.run(n.by)
	if err != nil {
		return value{}, err
	}
	return readIndex(n, &of, &by)
}

func readIndex(n *index, of, by *value) (value, error) {
	switch {
	case of.kind == array && by.kind == integer:
		items := of.list().items
		i, err := element(n, by.int(), len(items))
		if err != nil {
			return value{}, err
		}
		return items[i], nil
	case of.kind == object && by.kind == text:
		v, _ := of.dict().get(by.text)
		return v, nil
	case of.kind == text && by.kind == integer:
		runes := []rune(of.text)
		i, ok := position(by.int(), len(runes))
		if !ok {
			return value{}, n.by.place().fail(outOfBounds("String", by.int(), len(runes), "string", "character"))
		}
		return charOf(runes[i]), nil
	}
	return value{}, n.by.place().fail("Indexer unavailable: " + of.kind.name() + " [" + by.kind.name() + "]")
}

// element resolves an array index; negative ones count from the end.
func element(n *index, i int64, length int) (int, error) {
	at, ok := position(i, length)
	if !ok {
		return 0, n.by.place().fail(outOfBounds("Array", i, length, "array", "element"))
	}
	return at, nil
}

func position(i int64, length int) (int, bool) {
	if i < 0 {
		i += int64(length)
	}
	return int(i), i >= 0 && i < int64(length)
}

func outOfBounds(what string, i int64, length int, of, unit string) string {
	head := what + " index " + itoa64(i) + " out of bounds: "
	switch length {
	case 0:
		return head + of + " is empty"
	case 1:
		return head + "only 1 " + unit + " in " + of
	}
	return head + "only " + itoa(length) + " " + unit + "s in " + of
}

func evalUnary(n *unary, m *machine) (value, error) {
	v, err := m.run(n.of)
	if err != nil {
		return value{}, err
	}
	v.text = ""
	switch {
	case n.op == "!" && v.kind == boolean:
		return boolOf(!v.bool()), nil
	case n.op == "+" && (v.kind == integer || v.kind == float):
		return v, nil
	case n.op == "-" && v.kind == float:
		return floatOf(-v.float()), nil
	case n.op == "-" && v.kind == integer:
		if v.int() == -v.int() && v.int() != 0 {
			return value{}, n.pos.fail("Negation overflow: -" + itoa64(v.int()))
		}
		return intOf(-v.int()), nil
	}
	return value{}, n.pos.fail(notFound(n.op, []value{v}))
}

func evalBinary(n *binary, m *machine) (value, error) {
	switch n.op {
	case "&&", "||":
		left, err := m.truth(n.left)
		if err != nil || left == (n.op == "||") {
			return boolOf(left), err
		}
		right, err := m.truth(n.right)
		return boolOf(right), err
	case "??":
		left, err := m.run(n.left)
		if err != nil || left.kind != unit {
			return left, err
		}
		return m.run(n.right)
	}
	left, err := m.run(n.left)
	if err != nil {
		return value{}, err
	}
	if n.right == nil {
		if left.kind != integer {
			return value{}, n.pos.fail(notFound(n.op, []value{left, {}}))
		}
		return value{kind: interval, ref: &span{from: left.int(), open: true}}, nil
	}
	// The right side may modify what the left side yielded.
	left = left.copied()
	right, err := m.run(n.right)
	if err != nil {
		return value{}, err
	}
	v, err := m.operate(n.op, &left, &right)
	return v, n.pos.at(err)
}

func evalClosure(n *closureLit, m *machine) (value, error) {
	c := &closure{name: n.fn.name, fn: n.fn}
	for _, free := range n.fn.free {
		if x := m.find(free); x != nil {
			c.captured = append(c.captured, x)
		}
	}
	return value{kind: function, ref: c}, m.allocated(itemBytes * (1 + len(c.captured)))
}
