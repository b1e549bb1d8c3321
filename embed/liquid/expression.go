package liquid

import (
	"slices"
	"strconv"
	"strings"
)

// expression is a value in braces, without filters.
type expression interface {
	// eval is the value. A variable or member that does not exist stops the rendering.
	eval(r *rendering) any
	// find is the value, or false if it does not exist.
	find(r *rendering) (any, bool)
	// String is the expression as messages show it.
	String() string
}

type (
	literal  struct{ value any }
	variable struct {
		name    string
		indexes []expression
	}
	// between is a range. Loops alone know it.
	between struct{ from, to expression }
	// chain is a value and the filters it goes through.
	chain struct {
		of     expression
		calls  []filterCall
		source string
	}
)

func (e literal) eval(*rendering) any { return e.value }

func (e literal) find(*rendering) (any, bool) { return e.value, true }

func (e literal) String() string { return sourceOf(e.value) }

func (e variable) eval(r *rendering) any {
	path := make([]any, len(e.indexes))
	for i, index := range e.indexes {
		if path[i] = index.eval(r); !isScalar(path[i]) {
			stop(failure("Expected scalar, found `" + sourceOf(path[i]) + "`"))
		}
	}
	v, ok := r.lookup(e.name)
	if !ok {
		stop(failure("Unknown variable", "requested variable", e.name))
	}
	for i := range path {
		next, ok := member(v, path[i])
		if !ok {
			stop(unknownIndex(e.name, path[:i], path[i], v))
		}
		v = next
	}
	return v
}

func (e variable) find(r *rendering) (any, bool) {
	v, ok := r.lookup(e.name)
	for i := 0; ok && i < len(e.indexes); i++ {
		var index any
		if index, ok = e.indexes[i].find(r); ok && isScalar(index) {
			v, ok = member(v, index)
		} else {
			ok = false
		}
	}
	return v, ok
}

func (e variable) String() string {
	var out strings.Builder
	out.WriteString(e.name)
	for _, index := range e.indexes {
		out.WriteString("[" + index.String() + "]")
	}
	return out.String()
}

func (b *between) String() string { return "(" + b.from.String() + ".." + b.to.String() + ")" }

// resolve looks the filters up and counts their arguments. Errors: *Failure.
func (c *chain) resolve() error {
	for i := range c.calls {
		if err := c.calls[i].resolve(); err != nil {
			return err
		}
	}
	return nil
}

// eval is the value after all filters.
func (c *chain) eval(r *rendering) any {
	v := c.of.eval(r)
	for i := range c.calls {
		v = c.calls[i].eval(r, v)
	}
	return v
}

func (c *chain) String() string {
	calls := make([]string, len(c.calls))
	for i := range c.calls {
		calls[i] = c.calls[i].String()
	}
	return c.of.String() + " | " + strings.Join(calls, " | ")
}

// lookup is a variable: of the innermost loop that has it, then an assigned one, then one
// of the caller, then a counter.
func (r *rendering) lookup(name string) (any, bool) {
	for i := len(r.scopes) - 1; i >= 0; i-- {
		s := &r.scopes[i]
		switch name {
		case s.name:
			return s.item, true
		case s.stateName:
			return s.state, true
		}
	}
	for _, vars := range []map[string]any{r.assigned, r.vars} {
		if v, ok := vars[name]; ok {
			return v, true
		}
	}
	n, ok := r.counters[name]
	return n, ok
}

// member is value[index]. Lists also have first, last and size; objects and scalars size.
func member(v, index any) (any, bool) {
	switch v := opened(v).(type) {
	case list:
		at, ok := whole(index)
		switch name := textOf(index); {
		case ok:
		case name == "size":
			return len(v), true
		case name == "last":
			at = -1
		case name != "first":
			return nil, false
		}
		if at < 0 {
			at += len(v)
		}
		if at < 0 || at >= len(v) {
			return nil, false
		}
		return v[at], true
	case object:
		name := textOf(index)
		if m, ok := v.get(name); ok {
			return m, true
		}
		return len(v.names()), name == "size"
	default:
		if isScalar(v) && textOf(index) == "size" {
			return len(textOf(v)), true
		}
	}
	return nil, false
}

// unknownIndex is the error about a member that does not exist.
func unknownIndex(name string, before []any, index, of any) error {
	path := []string{name}
	for _, b := range before {
		path = append(path, textOf(b))
	}
	var available []string
	switch of := opened(of).(type) {
	case list:
		if len(of) > 0 {
			available = append(available, "0.."+strconv.Itoa(len(of)-1))
		}
		available = append(available, "first", "last")
	case object:
		available = slices.Clone(of.names())
	}
	return failure("Unknown index", "variable", strings.Join(path, "."), "requested index", textOf(index),
		"available indexes", strings.Join(available, ", "))
}
