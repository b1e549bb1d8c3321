package script

import (
	"errors"

	"shoal/api/payload"
)

// Program is a compiled function. It is immutable and safe for concurrent use.
type Program struct{ *tree }

// Compile parses a program. Errors are *Error.
func Compile(source string) (*Program, error) {
	t, err := parse(source)
	if err != nil {
		return nil, err
	}
	return &Program{t}, nil
}

// Context is the value of the constant `context`, decoded once for many runs. The
// zero value is no context: the constant does not exist. Immutable.
type Context struct {
	value value
	set   bool
}

// ParseContext reads a JSON object; nil and null are no context.
func ParseContext(data []byte) (Context, error) {
	if len(data) == 0 || string(data) == "null" {
		return Context{}, nil
	}
	v, err := decode(data)
	if err != nil {
		return Context{}, err
	}
	freeze(&v)
	return Context{value: v, set: true}, nil
}

// freeze marks all containers as shared, so that runs only read them.
func freeze(v *value) {
	switch v.kind {
	case array:
		v.copied()
		for i := range v.list().items {
			freeze(&v.list().items[i])
		}
	case object:
		v.copied()
		for i := range v.dict().entries {
			freeze(&v.dict().entries[i].value)
		}
	}
}

// ErrNotObject is the outcome of a run that made the document something that is
// neither an object nor ().
var ErrNotObject = errors.New("document is not an object")

// Run runs the program on one document, a JSON object. out is the document after
// it: the very input when nothing changed; otherwise the members it had in their
// order, then the new ones by name, where numbers that were not touched are
// written as they were. deleted: the program set doc to (). Errors are
// ErrNotObject or *Error.
func (p *Program) Run(doc []byte, context Context, limits Limits) (out []byte, deleted bool, err error) {
	before, err := decode(doc)
	if err != nil || before.kind != object {
		return nil, false, errors.Join(failed("the document cannot be read"), err)
	}
	m := &machine{program: p, limits: limits.filled()}
	if context.set {
		m.vars = append(m.vars, &variable{name: "context", value: context.value, constant: true})
	}
	m.vars = append(m.vars, &variable{name: "doc", value: before.copied()})
	_, err = m.sequence(p.body)
	var l *leave
	if errors.As(err, &l) {
		err = nil
	}
	if err != nil {
		return nil, false, err
	}
	m.base = 0
	after := m.find("doc").value
	switch {
	case after.kind == unit:
		return nil, true, nil
	case after.kind != object:
		return nil, false, ErrNotObject
	case same(&before, &after, true):
		return doc, false, nil
	}
	out, err = appendDocument(nil, doc, after.dict())
	return out, false, err
}

// appendDocument writes the document in its old order, new members last.
func appendDocument(dst, old []byte, d *dict) ([]byte, error) {
	members, err := payload.Split(old)
	if err != nil {
		return nil, err
	}
	taken := make([]bool, len(d.entries))
	entries := make([]entry, 0, len(d.entries))
	for i := range members {
		if at, ok := d.find(members[i].Name); ok && !taken[at] {
			entries = append(entries, d.entries[at])
			taken[at] = true
		}
	}
	for i, e := range d.entries {
		if !taken[i] {
			entries = append(entries, e)
		}
	}
	return appendEntries(dst, entries, 1)
}

// parseJSON reads JSON text inside a program.
func (m *machine) parseJSON(data []byte) (value, error) {
	v, err := decode(data)
	if err != nil {
		return value{}, failed("Syntax error: " + err.Error())
	}
	return v, m.allocated(2 * len(data))
}
