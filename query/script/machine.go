package script

import (
	"shoal/query/script/syntax"
	"shoal/query/script/value"
)

// variable is a named value. Closures that captured it share it.
type variable struct {
	name     string
	value    value.Value
	constant bool
}

// machine is the state of one run.
type machine struct {
	program *Program
	limits  Limits
	// vars are the visible variables, innermost last. Those below base belong to callers
	// and are not visible.
	vars []*variable
	base int
	// this is the value that the current function was called on, or nil.
	this *value.Value

	steps, calls, nesting, memory int
}

// step counts one evaluation.
func (m *machine) step(n syntax.Node) error {
	if m.steps++; m.steps > m.limits.Steps {
		return n.Place().Fatal("Too many operations")
	}
	return nil
}

// worked counts the work of a single step on many bytes or items.
func (m *machine) worked(units int) error {
	if m.steps += units; m.steps > m.limits.Steps {
		return &value.Error{Message: "Too many operations", Fatal: true}
	}
	return nil
}

// bytesPerStep is how many bytes a string method processes per counted step.
const bytesPerStep = 4096

// allocated counts memory that a step has allocated.
func (m *machine) allocated(bytes int) error {
	if m.memory += bytes; m.memory > m.limits.Memory {
		return &value.Error{Message: "Script uses too much memory", Fatal: true}
	}
	return m.worked(bytes / bytesPerStep)
}

// newText makes a string value within the limits.
func (m *machine) newText(s string) (value.Value, error) {
	if len(s) > m.limits.StringBytes {
		return value.Value{}, &value.Error{Message: "Length of string too large", Fatal: true}
	}
	return value.String(s), m.allocated(len(s))
}

// newList makes an array within the limits.
func (m *machine) newList(items []value.Value) (value.Value, error) {
	if err := m.checkItems(len(items), "Size of array"); err != nil {
		return value.Value{}, err
	}
	return value.Array(items), m.allocated(len(items) * value.ItemBytes)
}

func (m *machine) checkItems(n int, what string) error {
	if n > m.limits.Items {
		return &value.Error{Message: what + " too large", Fatal: true}
	}
	return nil
}

// run evaluates a node and bounds the depth of recursion.
func (m *machine) run(n syntax.Node) (value.Value, error) {
	if err := m.step(n); err != nil {
		return value.Value{}, err
	}
	if m.nesting++; m.nesting > maxNesting {
		return value.Value{}, n.Place().Fatal("Stack overflow")
	}
	v, err := m.eval(n)
	m.nesting--
	return v, err
}

// eval evaluates a node by its kind.
func (m *machine) eval(n syntax.Node) (value.Value, error) {
	switch n := n.(type) {
	case *syntax.Literal:
		return n.Value, nil
	case *syntax.Name:
		return evalName(n, m)
	case *syntax.Property:
		return evalProperty(n, m)
	case *syntax.Call:
		return evalCall(n, m)
	case *syntax.Binary:
		return evalBinary(n, m)
	case *syntax.Unary:
		return evalUnary(n, m)
	case *syntax.Index:
		return evalIndex(n, m)
	case *syntax.Template:
		return evalTemplate(n, m)
	case *syntax.Array:
		return evalArray(n, m)
	case *syntax.Map:
		return evalMap(n, m)
	case *syntax.This:
		return evalThis(n, m)
	case *syntax.Closure:
		return evalClosure(n, m)
	}
	return m.execute(n)
}

// execute evaluates a statement by its kind.
func (m *machine) execute(n syntax.Node) (value.Value, error) {
	switch n := n.(type) {
	case *syntax.Assign:
		return evalAssign(n, m)
	case *syntax.Let:
		return evalLet(n, m)
	case *syntax.Block:
		return evalBlock(n, m)
	case *syntax.If:
		return evalIf(n, m)
	case *syntax.Loop:
		return evalLoop(n, m)
	case *syntax.For:
		return evalFor(n, m)
	case *syntax.Switch:
		return evalSwitch(n, m)
	case *syntax.Jump:
		return evalJump(n, m)
	case *syntax.Try:
		return evalTry(n, m)
	}
	return value.Value{}, n.Place().Fatal("Unknown statement")
}

// find returns a visible variable, or nil.
func (m *machine) find(name string) *variable {
	for i := len(m.vars) - 1; i >= m.base; i-- {
		if m.vars[i].name == name {
			return m.vars[i]
		}
	}
	return nil
}

// define adds a variable.
func (m *machine) define(name string, v value.Value, constant bool) (*variable, error) {
	if len(m.vars) >= m.limits.Variables {
		return nil, &value.Error{Message: "Too many variables defined", Fatal: true}
	}
	x := &variable{name: name, value: v, constant: constant}
	m.vars = append(m.vars, x)
	return x, nil
}

// forget drops the variables above a mark.
func (m *machine) forget(mark int) {
	clear(m.vars[mark:])
	m.vars = m.vars[:mark]
}

// truth reads a condition.
func (m *machine) truth(n syntax.Node) (bool, error) {
	v, err := m.run(n)
	if err != nil {
		return false, err
	}
	if v.Kind != value.KindBool {
		return false, syntax.FirstLink(n).At(value.WrongType("bool", &v))
	}
	return v.Bool(), nil
}

// own ensures that the container in a place is not shared.
func (m *machine) own(v *value.Value) error {
	switch v.Kind {
	case value.KindArray:
		l := v.List()
		if !l.Shared {
			return nil
		}
		items := make([]value.Value, len(l.Items), len(l.Items)+1)
		for i := range l.Items {
			items[i] = l.Items[i].Copied()
		}
		v.Ref = &value.List{Items: items}
		return m.allocated(len(items) * value.ItemBytes)
	case value.KindObject:
		d := v.Dict()
		if !d.Shared {
			return nil
		}
		entries := make([]value.Entry, len(d.Entries), len(d.Entries)+1)
		for i := range d.Entries {
			entries[i] = value.Entry{Key: d.Entries[i].Key, Value: d.Entries[i].Value.Copied()}
		}
		v.Ref = &value.Dict{Entries: entries}
		return m.allocated(len(entries) * value.ItemBytes)
	}
	return nil
}

// display and debug render a value within the limits.
func (m *machine) display(v *value.Value) string { return v.Display(m.limits.StringBytes) }
func (m *machine) debug(v *value.Value) string   { return v.Debug(m.limits.StringBytes) }
