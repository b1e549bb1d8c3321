package script

import "errors"

// errNoMatch is what a method answers when it does not take these arguments.
var errNoMatch = errors.New("no such method")

// invocation is one call of a built-in function: the first argument is the
// receiver. list or dict is what it held at first, because a function argument
// may change the variable meanwhile.
type invocation struct {
	m    *machine
	recv *value
	args []value
	list *list
	dict *dict
}

// method is a built-in function of one type of receiver.
type method struct {
	least, most int // number of arguments after the receiver
	mutates     bool
	run         func(c *invocation) (value, error)
}

func evalCall(n *call, m *machine) (value, error) {
	args := make([]value, len(n.args))
	byName := n.of == nil && len(n.args) > 0
	for i, arg := range n.args {
		if i == 0 && byName {
			if _, simple := arg.(*name); simple {
				continue // may be modified in its place
			}
		}
		v, err := m.run(arg)
		if err != nil {
			return value{}, err
		}
		args[i] = v.copied()
	}
	if n.of != nil {
		return onReceiver(n, m, args)
	}
	if fn := m.program.fns[fnKey{n.name, len(n.args)}]; fn != nil {
		if err := firstArg(n, m, args); err != nil {
			return value{}, err
		}
		return m.apply(n.pos, &closure{name: fn.name, fn: fn}, args, nil)
	}
	if v, ok, err := m.global(n, args); ok || err != nil {
		return v, n.pos.at(err)
	}
	if !byName {
		return value{}, n.pos.fail(notFound(n.name, args))
	}
	recv, constant, err := &args[0], "", error(nil)
	if _, simple := n.args[0].(*name); simple {
		if recv, constant, err = m.locate(n.args[0]); err != nil {
			return value{}, err
		}
	}
	return builtIn(n, m, recv, constant, args[1:])
}

// firstArg evaluates the argument that eval left out.
func firstArg(n *call, m *machine, args []value) error {
	if len(n.args) == 0 {
		return nil
	}
	if _, simple := n.args[0].(*name); !simple {
		return nil
	}
	v, err := m.run(n.args[0])
	args[0] = v.copied()
	return err
}

// onReceiver calls `of.name(args)`.
func onReceiver(n *call, m *machine, args []value) (value, error) {
	recv, constant, err := receiver(n, m, len(args))
	if err != nil {
		return value{}, err
	}
	if recv.kind == unit && n.elvis {
		return value{}, nil
	}
	if recv.kind == function {
		switch n.name {
		case "call":
			return m.apply(n.pos, closureOf(recv), args, nil)
		case "curry":
			c := *closureOf(recv)
			c.bound = append(append([]value(nil), c.bound...), args...)
			return value{kind: function, ref: &c}, nil
		}
	}
	if recv.kind == object {
		if f, ok := recv.dict().get(n.name); ok && f.kind == function {
			return m.apply(n.pos, closureOf(&f), args, recv)
		}
	}
	if fn := m.program.fns[fnKey{n.name, len(args)}]; fn != nil {
		return m.apply(n.pos, &closure{name: fn.name, fn: fn}, args, recv)
	}
	return builtIn(n, m, recv, constant, args)
}

// receiver finds the receiver: in its place if it may be modified, else just its
// value.
func receiver(n *call, m *machine, args int) (*value, string, error) {
	if mutators[n.name] || m.program.fns[fnKey{n.name, args}] != nil {
		return m.locate(n.of)
	}
	v, err := m.run(n.of)
	return &v, "", err
}

func builtIn(n *call, m *machine, recv *value, constant string, args []value) (value, error) {
	f, ok := methods[recv.kind][n.name]
	if !ok {
		f, ok = common[n.name]
	}
	if !ok || len(args) < f.least || len(args) > f.most {
		return value{}, n.pos.fail(notFound(n.name, append([]value{*recv}, args...)))
	}
	if f.mutates {
		if constant != "" {
			return value{}, n.pos.fail("Non-pure method '" + n.name + "' cannot be called on constant")
		}
		if err := m.own(recv); err != nil {
			return value{}, n.pos.at(err)
		}
	}
	c := &invocation{m: m, recv: recv, args: args}
	switch recv.kind {
	case array:
		c.list = recv.list()
	case object:
		c.dict = recv.dict()
	}
	v, err := f.run(c)
	if errors.Is(err, errNoMatch) {
		err = failed(notFound(n.name, append([]value{*recv}, args...)))
	}
	return v, n.pos.at(err)
}

// apply calls a function or closure.
func (m *machine) apply(pos place, c *closure, args []value, self *value) (value, error) {
	fn := c.fn
	all := args
	if len(c.bound) > 0 {
		all = append(append([]value(nil), c.bound...), args...)
	}
	if fn == nil {
		return m.applyNamed(pos, c.name, all)
	}
	if len(all) != len(fn.params) {
		return value{}, pos.fail(notFound(c.name, all))
	}
	if m.calls++; m.calls > m.limits.Calls {
		return value{}, pos.fatal("Stack overflow")
	}
	mark, base, this := len(m.vars), m.base, m.this
	m.base, m.this = mark, self
	m.vars = append(m.vars, c.captured...)
	var v value
	var err error
	for i, name := range fn.params {
		if _, err = m.define(name, all[i], false); err != nil {
			break
		}
	}
	if err == nil {
		v, err = m.run(fn.body)
	}
	m.forget(mark)
	m.base, m.this = base, this
	m.calls--
	err = leaveCall(pos, c, &v, err)
	return v, err
}

// leaveCall turns a return into the call's value and tells where errors passed.
func leaveCall(pos place, c *closure, v *value, err error) error {
	if err == nil {
		return nil
	}
	var l *leave
	if errors.As(err, &l) {
		if l.kind != leaveFunction {
			return err
		}
		*v = l.value
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		inner := e.Error()
		if anonymous(c.fn) {
			inner += "\nin closure call"
		} else {
			inner += "\nin call to function '" + c.name + "'"
		}
		e.Message, e.Line, e.Position = inner, int(pos.line), int(pos.column)
	}
	return err
}

func anonymous(f *fnDef) bool { return len(f.name) > 4 && f.name[:5] == "anon$" }

// applyNamed calls what `Fn("name")` points to.
func (m *machine) applyNamed(pos place, name string, args []value) (value, error) {
	if fn := m.program.fns[fnKey{name, len(args)}]; fn != nil {
		return m.apply(pos, &closure{name: name, fn: fn}, args, nil)
	}
	if len(args) == 0 {
		return value{}, pos.fail(notFound(name, nil))
	}
	return builtIn((&call{at: posOf(pos), name: name}), m, &args[0], "", args[1:])
}

// on calls a function argument of a method: with the item and what more it takes,
// or without arguments and the item as `this`.
func (c *invocation) on(f, item *value, more ...value) (value, error) {
	if f.kind != function {
		return value{}, errNoMatch
	}
	fn := closureOf(f)
	takes := 1
	if fn.fn != nil {
		takes = len(fn.fn.params) - len(fn.bound)
	}
	if takes == 0 {
		return c.m.apply(place{}, fn, nil, item)
	}
	args := append([]value{item.copied()}, more...)
	if takes > 0 && takes < len(args) {
		args = args[:takes]
	}
	return c.m.apply(place{}, fn, args, nil)
}

// yes calls a function argument that must answer with a bool.
func (c *invocation) yes(f, item *value, more ...value) (bool, error) {
	v, err := c.on(f, item, more...)
	if err != nil {
		return false, err
	}
	if v.kind != boolean {
		return false, failed(wrongType("bool", &v))
	}
	return v.bool(), nil
}
