package script

import (
	"shoal/query/script/syntax"
	"shoal/query/script/value"
)

func evalAssign(n *syntax.Assign, m *machine) (value.Value, error) {
	v, err := m.run(n.By)
	if err != nil {
		return value.Value{}, err
	}
	v = v.Copied()
	switch to := n.To.(type) {
	case *syntax.Property:
		err = m.setProperty(to, n.Op, &v)
	case *syntax.Index:
		err = m.setIndex(to, n.Op, &v)
	default:
		var dst *value.Value
		var constant string
		if dst, constant, err = m.locate(to); err == nil {
			if constant != "" {
				return value.Value{}, constantModified(to.Place(), constant)
			}
			err = m.store(dst, n.Op, &v)
		}
	}
	return value.Value{}, n.Pos.At(err)
}

// store assigns a value to a place, through an operator if there is one.
func (m *machine) store(dst *value.Value, op string, v *value.Value) error {
	if op == "" {
		*dst = *v
		return nil
	}
	if op == "+" && dst.Kind == value.KindArray {
		return m.extend(dst, v)
	}
	result, err := m.operate(op, dst, v)
	if err == nil {
		*dst = result.Copied()
	}
	return err
}

// extend appends an element, or all elements of another array, in place.
func (m *machine) extend(dst, v *value.Value) error {
	if err := m.own(dst); err != nil {
		return err
	}
	l := dst.List()
	if v.Kind == value.KindArray {
		for _, item := range v.List().Items {
			l.Items = append(l.Items, item.Copied())
		}
	} else {
		l.Items = append(l.Items, v.Copied())
	}
	if err := m.checkItems(len(l.Items), "Size of array"); err != nil {
		return err
	}
	return m.allocated(value.ItemBytes)
}

func (m *machine) setProperty(to *syntax.Property, op string, v *value.Value) error {
	of, constant, err := m.locate(to.Of)
	if err != nil {
		return err
	}
	if constant != "" {
		return constantModified(syntax.Start(to.Of), constant)
	}
	if of.Kind == value.KindObject {
		return m.setKey(of, to.Name, op, v)
	}
	if op != "" {
		before, err := m.readProperty(to, of)
		if err == nil {
			err = m.store(&before, op, v)
		}
		if err != nil {
			return err
		}
		v = &before
	}
	if to.Name == "tag" && v.Kind == value.KindInt { // the only property that can be set
		return to.Pos.At(setTag(of, v.Int()))
	}
	return badProperty(to.Pos, "No writable property '"+to.Name+"' - a setter is not registered for type '"+of.TypeName()+
		"' to handle '"+v.TypeName()+"'")
}

// setTag attaches a number to a value.
func setTag(of *value.Value, tag int64) error {
	size := "large"
	if tag < 0 {
		size = "small"
	}
	if tag != int64(int32(tag)) {
		return value.Failed(value.Itoa(tag) + " is too " + size + " to fit into a tag (must be between -2147483648 and 2147483647)").WithKind(value.ArithmeticKind)
	}
	of.Tag = int32(tag)
	return nil
}

func (m *machine) setKey(of *value.Value, key, op string, v *value.Value) error {
	if err := m.own(of); err != nil {
		return err
	}
	d := of.Dict()
	before := len(d.Entries)
	slot := d.Slot(key)
	if len(d.Entries) > before {
		if err := m.checkItems(len(d.Entries), "Size of object map"); err != nil {
			return err
		}
		if err := m.allocated(value.ItemBytes + len(key)); err != nil {
			return err
		}
	}
	return m.store(slot, op, v)
}

func (m *machine) setIndex(to *syntax.Index, op string, v *value.Value) error {
	by, err := m.run(to.By)
	if err != nil {
		return err
	}
	of, constant, err := m.locate(to.Of)
	if err != nil {
		return err
	}
	if constant != "" {
		return constantModified(syntax.Start(to.Of), constant)
	}
	switch {
	case of.Kind == value.KindObject && by.Kind == value.KindString:
		return m.setKey(of, by.Text, op, v)
	case of.Kind == value.KindArray && by.Kind == value.KindInt:
		i, err := element(to, by.Int(), len(of.List().Items))
		if err != nil {
			return err
		}
		if err := m.own(of); err != nil {
			return err
		}
		return m.store(&of.List().Items[i], op, v)
	case of.Kind != value.KindString && of.Kind != value.KindInt || by.Kind != value.KindInt && by.Kind != value.KindRange:
		if want := indexType(of.Kind); want != "" {
			return syntax.Start(to.By).At(value.WrongType(want, &by))
		}
		return notIndexed(to.Pos, of.TypeName()+" ["+by.TypeName()+"] = "+v.TypeName())
	}
	part, err := m.readIndex(to, of, &by)
	if err != nil {
		return err
	}
	kind := part.Kind
	if err := m.store(&part, op, v); err != nil {
		return err
	}
	if kind == value.KindString {
		part = value.String(m.display(&part))
	}
	if part.Kind != kind {
		want := map[value.Kind]string{value.KindChar: "char", value.KindBool: "bool", value.KindInt: "integer"}[kind]
		return value.WrongType(want, &part)
	}
	return m.setPart(of, &by, &part)
}

// setPart replaces a part of a string or of the bits of an integer.
func (m *machine) setPart(of, by, part *value.Value) error {
	switch part.Kind {
	case value.KindChar:
		i := by.Int()
		if i < 0 {
			i = -i // as Rhai does, though reading counts from the end
		}
		return m.setChar(of, i, part.Rune())
	case value.KindString:
		from, to := textSpan(of.Text, by.Range())
		v, err := m.newText(of.Text[:from] + part.Text + of.Text[to:])
		*of = v
		return err
	case value.KindBool:
		bits, err := value.WithBit(of.Int(), by.Int(), part.Bool())
		*of = value.Int(bits)
		return err
	}
	bits, err := value.BitsAt(by.Range())
	*of = value.Int(bits.Set(of.Int(), part.Int()))
	return err
}

func (m *machine) setChar(of *value.Value, i int64, r rune) error {
	runes := []rune(of.Text)
	at, ok := position(i, len(runes))
	if !ok {
		return nil
	}
	runes[at] = r
	v, err := m.newText(string(runes))
	*of = v
	return err
}

// locate finds the place of a value, so that it can be modified there. A temporary value
// gets a place of its own. Containers on the way become unshared. constant is the name of
// the constant that the place belongs to, if any.
func (m *machine) locate(n syntax.Node) (dst *value.Value, constant string, err error) {
	if err := m.step(n); err != nil {
		return nil, "", err
	}
	switch n := n.(type) {
	case *syntax.Name:
		x := m.find(n.Name)
		if x == nil {
			return nil, "", unknown(n)
		}
		if x.constant {
			constant = x.name
		}
		return &x.value, constant, nil
	case *syntax.This:
		if m.this == nil {
			return nil, "", n.Pos.Fail("'this' not bound").WithKind("ErrorUnboundThis")
		}
		return m.this, "", nil
	case *syntax.Property:
		return m.locateProperty(n)
	case *syntax.Index:
		return m.locateIndex(n)
	}
	v, err := m.run(n)
	v = v.Copied()
	return &v, "", err
}

func (m *machine) locateProperty(n *syntax.Property) (*value.Value, string, error) {
	of, constant, err := m.locate(n.Of)
	if err != nil {
		return nil, "", err
	}
	if of.Kind == value.KindObject && constant == "" {
		if _, ok := of.Dict().Get(n.Name); ok {
			if err := m.own(of); err != nil {
				return nil, "", n.Pos.At(err)
			}
			return of.Dict().Slot(n.Name), "", nil
		}
	}
	v, err := m.readProperty(n, of)
	return &v, constant, err
}

func (m *machine) locateIndex(n *syntax.Index) (*value.Value, string, error) {
	by, err := m.run(n.By)
	if err != nil {
		return nil, "", err
	}
	of, constant, err := m.locate(n.Of)
	if err != nil {
		return nil, "", err
	}
	if of.Kind == value.KindUnit && n.Elvis {
		return &value.Value{}, "", nil
	}
	switch {
	case constant != "":
	case of.Kind == value.KindArray && by.Kind == value.KindInt:
		i, err := element(n, by.Int(), len(of.List().Items))
		if err != nil {
			return nil, "", err
		}
		if err := m.own(of); err != nil {
			return nil, "", n.Pos.At(err)
		}
		return &of.List().Items[i], "", nil
	case of.Kind == value.KindObject && by.Kind == value.KindString:
		if _, ok := of.Dict().Get(by.Text); ok {
			if err := m.own(of); err != nil {
				return nil, "", n.Pos.At(err)
			}
			return of.Dict().Slot(by.Text), "", nil
		}
	}
	v, err := m.readIndex(n, of, &by)
	return &v, constant, err
}

// constantModified returns the error of a write to a constant.
func constantModified(at value.Place, name string) error {
	return at.Fail("Cannot modify constant "+name).WithKind("ErrorAssignmentToConstant", value.Detail("variable", name))
}
