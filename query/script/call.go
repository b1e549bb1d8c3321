package script

import (
	"errors"

	"shoal/query/script/syntax"
	"shoal/query/script/value"
)

// errNoMatch: a method does not accept these arguments.
var errNoMatch = errors.New("no such method")

// invocation is one call of a built-in function. The first argument is the receiver. list
// or dict is its content at the start, because a function argument may change the variable
// during the call.
type invocation struct {
	m    *machine
	recv *value.Value
	args []value.Value
	list *value.List
	dict *value.Dict
}

// method is a built-in function of one type of receiver.
type method struct {
	least, most int // number of arguments after the receiver
	mutates     bool
	run         func(c *invocation) (value.Value, error)
}

func evalCall(n *syntax.Call, m *machine) (value.Value, error) {
	args := make([]value.Value, len(n.Args))
	byName := n.Of == nil && len(n.Args) > 0
	for i, arg := range n.Args {
		if i == 0 && byName {
			if _, simple := arg.(*syntax.Name); simple {
				continue // it may be modified in place
			}
		}
		v, err := m.run(arg)
		if err != nil {
			return value.Value{}, err
		}
		args[i] = v.Copied()
	}
	if n.Of != nil {
		return onReceiver(n, m, args)
	}
	if fn := m.program.Functions[syntax.Signature{Name: n.Name, Params: len(n.Args)}]; fn != nil {
		if err := firstArg(n, m, args); err != nil {
			return value.Value{}, err
		}
		return m.apply(n.Pos, &closure{name: fn.Name, fn: fn}, args, nil)
	}
	if v, ok, err := m.global(n, args); ok || err != nil {
		return v, n.Pos.At(err)
	}
	if !byName {
		return value.Value{}, n.Pos.At(value.NotFound(n.Name, args))
	}
	recv, constant, err := &args[0], "", error(nil)
	if _, simple := n.Args[0].(*syntax.Name); simple {
		if recv, constant, err = m.locate(n.Args[0]); err != nil {
			return value.Value{}, err
		}
	}
	return builtIn(n, m, recv, constant, args[1:])
}

// firstArg evaluates the argument that evalCall left out.
func firstArg(n *syntax.Call, m *machine, args []value.Value) error {
	if len(n.Args) == 0 {
		return nil
	}
	if _, simple := n.Args[0].(*syntax.Name); !simple {
		return nil
	}
	v, err := m.run(n.Args[0])
	args[0] = v.Copied()
	return err
}

// onReceiver calls `of.name(args)`.
func onReceiver(n *syntax.Call, m *machine, args []value.Value) (value.Value, error) {
	recv, constant, err := receiver(n, m, len(args))
	if err != nil {
		return value.Value{}, err
	}
	if recv.Kind == value.KindUnit && n.Elvis {
		return value.Value{}, nil
	}
	if recv.Kind == value.KindFunction {
		switch n.Name {
		case "call":
			return m.apply(n.Pos, closureOf(recv), args, nil)
		case "curry":
			c := *closureOf(recv)
			c.bound = append(append([]value.Value(nil), c.bound...), args...)
			return value.Value{Kind: value.KindFunction, Ref: &c}, nil
		}
	}
	if recv.Kind == value.KindObject {
		if f, ok := recv.Dict().Get(n.Name); ok && f.Kind == value.KindFunction {
			return m.apply(n.Pos, closureOf(&f), args, recv)
		}
	}
	if fn := m.program.Functions[syntax.Signature{Name: n.Name, Params: len(args)}]; fn != nil {
		return m.apply(n.Pos, &closure{name: fn.Name, fn: fn}, args, recv)
	}
	return builtIn(n, m, recv, constant, args)
}

// receiver finds the receiver: its place if it may be modified, otherwise just its value.
func receiver(n *syntax.Call, m *machine, args int) (*value.Value, string, error) {
	if mutators[n.Name] || m.program.Functions[syntax.Signature{Name: n.Name, Params: args}] != nil {
		return m.locate(n.Of)
	}
	v, err := m.run(n.Of)
	return &v, "", err
}

func builtIn(n *syntax.Call, m *machine, recv *value.Value, constant string, args []value.Value) (value.Value, error) {
	f, ok := methods[recv.Kind][n.Name]
	if !ok {
		f, ok = common[n.Name]
	}
	if !ok || len(args) < f.least || len(args) > f.most {
		return value.Value{}, n.Pos.At(value.NotFound(n.Name, append([]value.Value{*recv}, args...)))
	}
	if f.mutates {
		if constant != "" {
			return value.Value{}, n.Pos.Fail("Non-pure method '"+n.Name+"' cannot be called on constant").WithKind("ErrorNonPureMethodCallOnConstant", value.Detail("function", n.Name))
		}
		if err := m.own(recv); err != nil {
			return value.Value{}, n.Pos.At(err)
		}
	}
	c := &invocation{m: m, recv: recv, args: args}
	switch recv.Kind {
	case value.KindArray:
		c.list = recv.List()
	case value.KindObject:
		c.dict = recv.Dict()
	}
	v, err := f.run(c)
	if errors.Is(err, errNoMatch) {
		err = value.NotFound(n.Name, append([]value.Value{*recv}, args...))
	}
	return v, n.Pos.At(err)
}

// apply calls a function or closure.
func (m *machine) apply(pos value.Place, c *closure, args []value.Value, self *value.Value) (value.Value, error) {
	fn := c.fn
	all := args
	if len(c.bound) > 0 {
		all = append(append([]value.Value(nil), c.bound...), args...)
	}
	if fn == nil {
		return m.applyNamed(pos, c.name, all)
	}
	if len(all) != len(fn.Params) {
		return value.Value{}, pos.At(value.NotFound(c.name, all))
	}
	if m.calls++; m.calls > m.limits.Calls {
		return value.Value{}, pos.Fatal("Stack overflow")
	}
	mark, base, this := len(m.vars), m.base, m.this
	m.base, m.this = mark, self
	m.vars = append(m.vars, c.captured...)
	var v value.Value
	var err error
	for i, name := range fn.Params {
		if _, err = m.define(name, all[i], false); err != nil {
			break
		}
	}
	if err == nil {
		v, err = m.run(fn.Body)
	}
	m.forget(mark)
	m.base, m.this = base, this
	m.calls--
	err = leaveCall(pos, c, &v, err)
	return v, err
}

// leaveCall turns a return into the call's value and adds the call to errors.
func leaveCall(pos value.Place, c *closure, v *value.Value, err error) error {
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
	var e *value.Error
	if errors.As(err, &e) {
		inner := e.Error()
		if anonymous(c.fn) {
			inner += "\nin closure call"
		} else {
			inner += "\nin call to function '" + c.name + "'"
		}
		e.Message, e.Line, e.Position, e.Placeless, e.Arithmetic = inner, int(pos.Line), int(pos.Column), false, false
		e.Kind, e.Details = "ErrorInFunctionCall", []value.Entry{value.Detail("function", c.name), value.Detail("source", "")}
	}
	return err
}

func anonymous(f *syntax.Function) bool { return len(f.Name) > 4 && f.Name[:5] == "anon$" }

// applyNamed calls the function that `Fn("name")` names.
func (m *machine) applyNamed(pos value.Place, name string, args []value.Value) (value.Value, error) {
	if fn := m.program.Functions[syntax.Signature{Name: name, Params: len(args)}]; fn != nil {
		return m.apply(pos, &closure{name: name, fn: fn}, args, nil)
	}
	if len(args) == 0 {
		return value.Value{}, pos.At(value.NotFound(name, nil))
	}
	return builtIn((&syntax.Call{At: syntax.PosOf(pos), Name: name}), m, &args[0], "", args[1:])
}

// on calls a function argument of a method with the item and further arguments, or without
// arguments and the item as `this`.
func (c *invocation) on(f, item *value.Value, more ...value.Value) (value.Value, error) {
	if f.Kind != value.KindFunction {
		return value.Value{}, errNoMatch
	}
	fn := closureOf(f)
	takes := 1
	if fn.fn != nil {
		takes = len(fn.fn.Params) - len(fn.bound)
	}
	if takes == 0 {
		return c.m.apply(value.Place{}, fn, nil, item)
	}
	args := append([]value.Value{item.Copied()}, more...)
	if takes > 0 && takes < len(args) {
		args = args[:takes]
	}
	return c.m.apply(value.Place{}, fn, args, nil)
}

// yes calls a function argument that must return a bool.
func (c *invocation) yes(f, item *value.Value, more ...value.Value) (bool, error) {
	v, err := c.on(f, item, more...)
	if err != nil {
		return false, err
	}
	if v.Kind != value.KindBool {
		return false, value.WrongType("bool", &v)
	}
	return v.Bool(), nil
}
