package script

// variable is a named value. Closures that captured it share it.
type variable struct {
	name     string
	value    value
	constant bool
}

// machine is the state of one run.
type machine struct {
	program *Program
	limits  Limits
	// vars are the variables in sight, innermost last; those below base belong to
	// callers and are out of sight.
	vars []*variable
	base int
	// this is what the current function was called on, nil without.
	this *value

	steps, calls, nesting, memory int
}

// step counts one evaluation.
func (m *machine) step(n node) error {
	if m.steps++; m.steps > m.limits.Steps {
		return n.place().fatal("Too many operations")
	}
	return nil
}

// worked counts work that a single step does on many bytes or items.
func (m *machine) worked(units int) error {
	if m.steps += units; m.steps > m.limits.Steps {
		return &Error{Message: "Too many operations", fatal: true}
	}
	return nil
}

// bytesPerStep is how many bytes a string method handles within one step.
const bytesPerStep = 4096

// allocated counts memory that a step took.
func (m *machine) allocated(bytes int) error {
	if m.memory += bytes; m.memory > m.limits.Memory {
		return &Error{Message: "Script uses too much memory", fatal: true}
	}
	return m.worked(bytes / bytesPerStep)
}

// newText makes a string value within the limits.
func (m *machine) newText(s string) (value, error) {
	if len(s) > m.limits.StringBytes {
		return value{}, &Error{Message: "Length of string too large", fatal: true}
	}
	return textOf(s), m.allocated(len(s))
}

// newList makes an array within the limits.
func (m *machine) newList(items []value) (value, error) {
	if err := m.checkItems(len(items), "Size of array"); err != nil {
		return value{}, err
	}
	return listOf(items), m.allocated(len(items) * itemBytes)
}

func (m *machine) checkItems(n int, what string) error {
	if n > m.limits.Items {
		return &Error{Message: what + " too large", fatal: true}
	}
	return nil
}

// run evaluates a node, guarding the stack.
func (m *machine) run(n node) (value, error) {
	if err := m.step(n); err != nil {
		return value{}, err
	}
	if m.nesting++; m.nesting > maxNesting {
		return value{}, n.place().fatal("Stack overflow")
	}
	v, err := m.eval(n)
	m.nesting--
	return v, err
}

// eval evaluates a node by its kind.
func (m *machine) eval(n node) (value, error) {
	switch n := n.(type) {
	case *literal:
		return n.value, nil
	case *name:
		return evalName(n, m)
	case *property:
		return evalProperty(n, m)
	case *call:
		return evalCall(n, m)
	case *binary:
		return evalBinary(n, m)
	case *unary:
		return evalUnary(n, m)
	case *index:
		return evalIndex(n, m)
	case *template:
		return evalTemplate(n, m)
	case *arrayLit:
		return evalArray(n, m)
	case *mapLit:
		return evalMap(n, m)
	case *this:
		return evalThis(n, m)
	case *closureLit:
		return evalClosure(n, m)
	}
	return m.execute(n)
}

// execute evaluates a statement by its kind.
func (m *machine) execute(n node) (value, error) {
	switch n := n.(type) {
	case *assign:
		return evalAssign(n, m)
	case *let:
		return evalLet(n, m)
	case *block:
		return evalBlock(n, m)
	case *ifNode:
		return evalIf(n, m)
	case *loop:
		return evalLoop(n, m)
	case *forNode:
		return evalFor(n, m)
	case *switchNode:
		return evalSwitch(n, m)
	case *jump:
		return evalJump(n, m)
	case *try:
		return evalTry(n, m)
	case *importNode:
		return evalImport(n, m)
	}
	return value{}, n.place().fatal("Unknown statement")
}

// find returns a variable in sight, nil without one.
func (m *machine) find(name string) *variable {
	for i := len(m.vars) - 1; i >= m.base; i-- {
		if m.vars[i].name == name {
			return m.vars[i]
		}
	}
	return nil
}

// define adds a variable.
func (m *machine) define(name string, v value, constant bool) (*variable, error) {
	if len(m.vars) >= m.limits.Variables {
		return nil, &Error{Message: "Too many variables defined", fatal: true}
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
func (m *machine) truth(n node) (bool, error) {
	v, err := m.run(n)
	if err != nil {
		return false, err
	}
	if v.kind != boolean {
		return false, n.place().fail(wrongType("bool", &v))
	}
	return v.bool(), nil
}

func wrongType(want string, v *value) string {
	return "Data type incorrect: " + v.kind.name() + " (expecting " + want + ")"
}

// own makes sure that the container in a place belongs to it alone.
func (m *machine) own(v *value) error {
	switch v.kind {
	case array:
		l := v.list()
		if !l.shared {
			return nil
		}
		items := make([]value, len(l.items), len(l.items)+1)
		for i := range l.items {
			items[i] = l.items[i].copied()
		}
		v.ref = &list{items: items}
		return m.allocated(len(items) * itemBytes)
	case object:
		d := v.dict()
		if !d.shared {
			return nil
		}
		entries := make([]entry, len(d.entries), len(d.entries)+1)
		for i := range d.entries {
			entries[i] = entry{d.entries[i].key, d.entries[i].value.copied()}
		}
		v.ref = &dict{entries: entries}
		return m.allocated(len(entries) * itemBytes)
	}
	return nil
}

// display and debug render a value within the limits.
func (m *machine) display(v *value) string { return v.display(m.limits.StringBytes) }
func (m *machine) debug(v *value) string   { return v.debug(m.limits.StringBytes) }
