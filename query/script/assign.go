package script

func evalAssign(n *assign, m *machine) (value, error) {
	v, err := m.run(n.by)
	if err != nil {
		return value{}, err
	}
	v = v.copied()
	switch to := n.to.(type) {
	case *property:
		err = m.setProperty(to, n.op, &v)
	case *index:
		err = m.setIndex(to, n.op, &v)
	default:
		var dst *value
		var constant string
		if dst, constant, err = m.locate(to); err == nil {
			if constant != "" {
				return value{}, to.place().fail("Cannot modify constant " + constant)
			}
			err = m.store(dst, n.op, &v)
		}
	}
	return value{}, n.pos.at(err)
}

// store puts a value into a place, through an operator if there is one.
func (m *machine) store(dst *value, op string, v *value) error {
	if op == "" {
		*dst = *v
		return nil
	}
	if op == "+" && dst.kind == array {
		return m.extend(dst, v)
	}
	result, err := m.operate(op, dst, v)
	if err == nil {
		*dst = result.copied()
	}
	return err
}

// extend adds an element, or all of another array, in place.
func (m *machine) extend(dst, v *value) error {
	if err := m.own(dst); err != nil {
		return err
	}
	l := dst.list()
	if v.kind == array {
		for _, item := range v.list().items {
			l.items = append(l.items, item.copied())
		}
	} else {
		l.items = append(l.items, v.copied())
	}
	if err := m.checkItems(len(l.items), "Size of array"); err != nil {
		return err
	}
	return m.allocated(itemBytes)
}

func (m *machine) setProperty(to *property, op string, v *value) error {
	of, constant, err := m.locate(to.of)
	if err != nil {
		return err
	}
	if constant != "" {
		return root(to.of).fail("Cannot modify constant " + constant)
	}
	if of.kind != object {
		return to.pos.fail("No writable property '" + to.name + "' - a setter is not registered for type '" + of.kind.name() +
			"' to handle '" + v.kind.name() + "'")
	}
	return m.setKey(of, to.name, op, v)
}

// root is where a chain of properties starts.
func root(n node) place {
	for {
		switch of := n.(type) {
		case *property:
			n = of.of
		case *index:
			n = of.of
		default:
			return n.place()
		}
	}
}

func (m *machine) setKey(of *value, key, op string, v *value) error {
	if err := m.own(of); err != nil {
		return err
	}
	d := of.dict()
	before := len(d.entries)
	slot := d.slot(key)
	if len(d.entries) > before {
		if err := m.checkItems(len(d.entries), "Size of object map"); err != nil {
			return err
		}
		if err := m.allocated(itemBytes + len(key)); err != nil {
			return err
		}
	}
	return m.store(slot, op, v)
}

func (m *machine) setIndex(to *index, op string, v *value) error {
	by, err := m.run(to.by)
	if err != nil {
		return err
	}
	of, constant, err := m.locate(to.of)
	if err != nil {
		return err
	}
	if constant != "" {
		return root(to.of).fail("Cannot modify constant " + constant)
	}
	switch {
	case of.kind == object && by.kind == text:
		return m.setKey(of, by.text, op, v)
	case of.kind == array && by.kind == integer:
		i, err := element(to, by.int(), len(of.list().items))
		if err != nil {
			return err
		}
		if err := m.own(of); err != nil {
			return err
		}
		return m.store(&of.list().items[i], op, v)
	case of.kind == text && by.kind == integer:
		current, err := readIndex(to, of, &by)
		if err != nil {
			return err
		}
		if err := m.store(&current, op, v); err != nil {
			return err
		}
		if current.kind == char {
			return m.setChar(of, by.int(), current.rune())
		}
	}
	return to.by.place().fail("Indexer unavailable: " + of.kind.name() + " [" + by.kind.name() + "] = " + v.kind.name())
}

func (m *machine) setChar(of *value, i int64, r rune) error {
	runes := []rune(of.text)
	at, ok := position(i, len(runes))
	if !ok {
		return nil
	}
	runes[at] = r
	v, err := m.newText(string(runes))
	*of = v
	return err
}

// locate finds where a value lives, so that it can be modified there; what lives
// nowhere gets a place of its own. Containers on the way are made the place's
// own. constant names the constant that the place belongs to.
func (m *machine) locate(n node) (dst *value, constant string, err error) {
	if err := m.step(n); err != nil {
		return nil, "", err
	}
	switch n := n.(type) {
	case *name:
		x := m.find(n.name)
		if x == nil {
			return nil, "", unknown(n)
		}
		if x.constant {
			constant = x.name
		}
		return &x.value, constant, nil
	case *this:
		if m.this == nil {
			return nil, "", n.pos.fail("'this' not bound")
		}
		return m.this, "", nil
	case *property:
		return m.locateProperty(n)
	case *index:
		return m.locateIndex(n)
	}
	v, err := m.run(n)
	v = v.copied()
	return &v, "", err
}

func (m *machine) locateProperty(n *property) (*value, string, error) {
	of, constant, err := m.locate(n.of)
	if err != nil {
		return nil, "", err
	}
	if of.kind == object && constant == "" {
		if _, ok := of.dict().get(n.name); ok {
			if err := m.own(of); err != nil {
				return nil, "", n.pos.at(err)
			}
			return of.dict().slot(n.name), "", nil
		}
	}
	v, err := readProperty(n, of)
	return &v, constant, err
}

func (m *machine) locateIndex(n *index) (*value, string, error) {
	by, err := m.run(n.by)
	if err != nil {
		return nil, "", err
	}
	of, constant, err := m.locate(n.of)
	if err != nil {
		return nil, "", err
	}
	if of.kind == unit && n.elvis {
		return &value{}, "", nil
	}
	switch {
	case constant != "":
	case of.kind == array && by.kind == integer:
		i, err := element(n, by.int(), len(of.list().items))
		if err != nil {
			return nil, "", err
		}
		if err := m.own(of); err != nil {
			return nil, "", n.pos.at(err)
		}
		return &of.list().items[i], "", nil
	case of.kind == object && by.kind == text:
		if _, ok := of.dict().get(by.text); ok {
			if err := m.own(of); err != nil {
				return nil, "", n.pos.at(err)
			}
			return of.dict().slot(by.text), "", nil
		}
	}
	v, err := readIndex(n, of, &by)
	return &v, constant, err
}
