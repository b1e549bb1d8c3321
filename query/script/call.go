package script

import (
	"errors"
	"slices"

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
	// lost: the function argument was not found, or does not take the arguments.
	lost bool
}

// method is a built-in function of one type of receiver.
type method struct {
	least, most int // number of arguments after the receiver
	mutates     bool
	// property: `x.name` calls it too.
	property bool
	run      func(c *invocation) (value.Value, error)
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
			return curried(recv, args), nil
		}
	}
	if n.Name == "call" || n.Name == "curry" {
		return callOn(n, m, recv, args)
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

// callOn calls a function with a value as `this`: x.call(f, ...).
func callOn(n *syntax.Call, m *machine, recv *value.Value, args []value.Value) (value.Value, error) {
	switch {
	case n.Name == "curry" || len(args) == 0:
		return value.Value{}, n.Pos.At(value.WrongType("Fn", recv))
	case args[0].Kind != value.KindFunction:
		return value.Value{}, syntax.Start(n.Args[0]).At(value.WrongType("Fn", &args[0]))
	}
	fn := closureOf(&args[0])
	if fn.fn != nil {
		return m.apply(n.Pos, fn, args[1:], recv)
	}
	return m.applyNamed(n.Pos, fn.name, append(append(slices.Clone(fn.bound), *recv), args[1:]...))
}

// curried returns the function with its first arguments given.
func curried(f *value.Value, args []value.Value) value.Value {
	c := *closureOf(f)
	c.bound = append(slices.Clone(c.bound), args...)
	return value.Value{Kind: value.KindFunction, Ref: &c}
}

// receiver finds the receiver: its place if it may be modified, otherwise just its value.
func receiver(n *syntax.Call, m *machine, args int) (*value.Value, string, error) {
	if n.Name == "call" || mutators[n.Name] || m.program.Functions[syntax.Signature{Name: n.Name, Params: args}] != nil {
		return m.locate(n.Of)
	}
	v, err := m.run(n.Of)
	return &v, "", err
}

func builtIn(n *syntax.Call, m *machine, recv *value.Value, constant string, args []value.Value) (value.Value, error) {
	f, ok := methodOf(recv, n.Name)
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
	c := invoke(m, recv, args)
	v, err := f.run(c)
	if c.lost && err != nil {
		var e *value.Error
		if errors.As(n.Pos.At(err), &e) {
			e.Into(n.Pos, calledAs(n.Name))
		}
	}
	if errors.Is(err, errNoMatch) {
		err = value.NotFound(n.Name, append([]value.Value{*recv}, args...))
	}
	return v, n.Pos.At(err)
}

// calledAs is the name of a method in the failures of its function argument.
func calledAs(name string) string {
	if name == "find" {
		return "index_of"
	}
	return name
}

// methodOf finds a built-in function by the type of its receiver.
func methodOf(recv *value.Value, name string) (method, bool) {
	f, ok := methods[recv.Kind][name]
	if !ok {
		f, ok = common[name]
	}
	return f, ok
}

func invoke(m *machine, recv *value.Value, args []value.Value) *invocation {
	c := &invocation{m: m, recv: recv, args: args}
	switch recv.Kind {
	case value.KindArray:
		c.list = recv.List()
	case value.KindObject:
		c.dict = recv.Dict()
	}
	return c
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
		e.Into(pos, c.name)
		e.Message = inner
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
