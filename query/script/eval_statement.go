package script

import (
	"errors"
	"math"
	"unicode/utf8"
)

func evalBlock(b *block, m *machine) (value, error) {
	mark := len(m.vars)
	v, err := m.sequence(b.body)
	m.forget(mark)
	return v, err
}

// sequence runs statements and yields what the last one yields.
func (m *machine) sequence(body []node) (last value, err error) {
	for _, n := range body {
		if last, err = m.run(n); err != nil {
			return value{}, err
		}
	}
	return last, nil
}

func evalLet(n *let, m *machine) (value, error) {
	var v value
	if n.value != nil {
		var err error
		if v, err = m.run(n.value); err != nil {
			return value{}, err
		}
	}
	_, err := m.define(n.name, v.copied(), n.constant)
	return value{}, n.pos.at(err)
}

func evalIf(n *ifNode, m *machine) (value, error) {
	yes, err := m.truth(n.cond)
	switch {
	case err != nil:
		return value{}, err
	case yes:
		return m.run(n.then)
	case n.otherwise != nil:
		return m.run(n.otherwise)
	}
	return value{}, nil
}

func evalLoop(n *loop, m *machine) (value, error) {
	for first := true; ; first = false {
		if err := m.step(n); err != nil {
			return value{}, err
		}
		if n.cond != nil && (!n.after || !first) {
			yes, err := m.truth(n.cond)
			if err != nil || yes == n.until {
				return value{}, err
			}
		}
		if _, err := m.run(n.body); err != nil {
			if v, ended, err := turn(err); ended {
				return v, err
			}
		}
	}
}

// turn handles what interrupted one turn of a loop: whether the loop ends, with
// which value or error.
func turn(err error) (value, bool, error) {
	var l *leave
	if errors.As(err, &l) {
		switch l.kind {
		case leaveTurn:
			return value{}, false, nil
		case leaveLoop:
			return l.value, true, nil
		}
	}
	return value{}, true, err
}

func evalFor(n *forNode, m *machine) (value, error) {
	over, err := m.run(n.over)
	if err != nil {
		return value{}, err
	}
	mark := len(m.vars)
	defer func() { m.forget(mark) }()
	count := int64(0)
	var result value
	each := func(item value) (bool, error) {
		m.forget(mark)
		if err := m.step(n); err != nil {
			return true, err
		}
		if n.counter != "" {
			if _, err := m.define(n.counter, intOf(count), false); err != nil {
				return true, n.pos.at(err)
			}
		}
		if _, err := m.define(n.item, item.copied(), false); err != nil {
			return true, n.pos.at(err)
		}
		count++
		_, err := m.run(n.body)
		if err == nil {
			return false, nil
		}
		v, ended, err := turn(err)
		result = v
		return ended, err
	}
	err = iterate(n, &over, each)
	return result, err
}

// iterate yields the items of a value until each ends it.
func iterate(n *forNode, over *value, each func(value) (bool, error)) error {
	// The loop's own mark keeps the items as they are while the body modifies.
	*over = over.copied()
	switch over.kind {
	case array:
		for _, item := range over.list().items {
			if ended, err := each(item); ended {
				return err
			}
		}
	case text:
		for _, r := range over.text {
			if ended, err := each(charOf(r)); ended {
				return err
			}
		}
	case interval:
		s := over.span()
		for i := s.from; s.holds(i); i++ {
			if ended, err := each(intOf(i)); ended || i == math.MaxInt64 {
				return err
			}
		}
	default:
		return n.over.place().fail("For loop expects iterable type")
	}
	return nil
}

func evalSwitch(n *switchNode, m *machine) (value, error) {
	on, err := m.run(n.on)
	if err != nil {
		return value{}, err
	}
	for i := range n.cases {
		c := &n.cases[i]
		if !takes(c, &on) {
			continue
		}
		if c.cond != nil {
			yes, err := m.truth(c.cond)
			if err != nil {
				return value{}, err
			}
			if !yes {
				continue
			}
		}
		return m.run(c.body)
	}
	return value{}, nil
}

// takes tells whether a value is one of the alternatives. Types must agree.
func takes(c *switchCase, on *value) bool {
	if c.values == nil {
		return true
	}
	for i := range c.values {
		v := &c.values[i]
		if v.kind == interval && on.kind == integer {
			if v.span().holds(on.int()) {
				return true
			}
		} else if v.kind == on.kind && equal(v, on) {
			return true
		}
	}
	return false
}

func evalJump(n *jump, m *machine) (value, error) {
	var v value
	if n.value != nil {
		var err error
		if v, err = m.run(n.value); err != nil {
			return value{}, err
		}
	}
	switch n.what {
	case "break":
		return value{}, &leave{kind: leaveLoop, value: v, at: n.pos}
	case "continue":
		return value{}, &leave{kind: leaveTurn, at: n.pos}
	case "return":
		return value{}, &leave{kind: leaveFunction, value: v, at: n.pos}
	}
	e := n.pos.fail("Runtime error")
	if s := m.display(&v); s != "" {
		e.Message += ": " + s
	}
	e.thrown = &v
	return value{}, e
}

func evalTry(n *try, m *machine) (value, error) {
	mark, base, self, calls, nesting := len(m.vars), m.base, m.this, m.calls, m.nesting
	v, err := m.run(n.body)
	var e *Error
	if err == nil || !errors.As(err, &e) || e.fatal {
		return v, err
	}
	m.forget(mark)
	m.base, m.this, m.calls, m.nesting = base, self, calls, nesting
	if n.name != "" {
		if _, err := m.define(n.name, caught(e), false); err != nil {
			return value{}, n.pos.at(err)
		}
	}
	v, err = m.run(n.handler)
	m.forget(mark)
	return v, err
}

// caught is what a handler sees of a failure: the thrown value, or an object that
// describes the error.
func caught(e *Error) value {
	if e.thrown != nil {
		return *e.thrown
	}
	return dictOf([]entry{
		{"error", textOf("ErrorRuntime")}, {"line", intOf(int64(e.Line))},
		{"message", textOf(e.Message)}, {"position", intOf(int64(e.Position))},
	})
}

func evalImport(n *importNode, m *machine) (value, error) {
	path, err := m.run(n.path)
	if err != nil {
		return value{}, err
	}
	if path.kind != text {
		return value{}, n.path.place().fail(wrongType("string", &path))
	}
	return value{}, n.path.place().fail("Module not found: " + path.text)
}

// chars counts the characters of a string.
func chars(s string) int { return utf8.RuneCountInString(s) }
