package script

import (
	"errors"

	"shoal/api/payload"
	"shoal/query/script/syntax"
	"shoal/query/script/value"
)

// Program is a compiled function. It is immutable and safe for concurrent use.
type Program struct{ *syntax.Tree }

// Compile parses a program. Errors are *value.Error.
func Compile(source string) (*Program, error) {
	t, err := syntax.Parse(source)
	if err != nil {
		return nil, err
	}
	return &Program{t}, nil
}

// Context is the value of the constant `context`, decoded once for many runs. With the zero
// value the constant does not exist. Immutable.
type Context struct {
	value value.Value
	set   bool
}

// ParseContext reads a JSON object. nil and null give the zero Context.
func ParseContext(data []byte) (Context, error) {
	if len(data) == 0 || string(data) == "null" {
		return Context{}, nil
	}
	v, err := value.Decode(data)
	if err != nil {
		return Context{}, err
	}
	freeze(&v)
	return Context{value: v, set: true}, nil
}

// freeze marks all containers as shared, so that runs only read them.
func freeze(v *value.Value) {
	switch v.Kind {
	case value.KindArray:
		v.Copied()
		for i := range v.List().Items {
			freeze(&v.List().Items[i])
		}
	case value.KindObject:
		v.Copied()
		for i := range v.Dict().Entries {
			freeze(&v.Dict().Entries[i].Value)
		}
	}
}

// ErrNotObject: a run turned the document into something that is neither an object nor ().
var ErrNotObject = errors.New("document is not an object")

// Run runs the program on one document, a JSON object. out is the resulting document, or
// the input itself if nothing changed. It has the old members in their order, then the new
// ones by name; numbers that were not changed keep their text. deleted: the program set doc
// to (). Errors are ErrNotObject or *value.Error.
func (p *Program) Run(doc []byte, context Context, limits Limits) (out []byte, deleted bool, err error) {
	before, err := value.Decode(doc)
	if err != nil || before.Kind != value.KindObject {
		return nil, false, errors.Join(value.Failed("the document cannot be read"), err)
	}
	m := &machine{program: p, limits: limits.filled()}
	if context.set {
		m.vars = append(m.vars, &variable{name: "context", value: context.value, constant: true})
	}
	m.vars = append(m.vars, &variable{name: "doc", value: before.Copied()})
	_, err = m.sequence(p.Body)
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
	case after.Kind == value.KindUnit:
		return nil, true, nil
	case after.Kind != value.KindObject:
		return nil, false, ErrNotObject
	case value.Same(&before, &after, true):
		return doc, false, nil
	}
	out, err = appendDocument(nil, doc, after.Dict())
	return out, false, err
}

// appendDocument writes the document in its old order, new members last.
func appendDocument(dst, old []byte, d *value.Dict) ([]byte, error) {
	members, err := payload.Split(old)
	if err != nil {
		return nil, err
	}
	taken := make([]bool, len(d.Entries))
	entries := make([]value.Entry, 0, len(d.Entries))
	for i := range members {
		if at, ok := d.Find(members[i].Name); ok && !taken[at] {
			entries = append(entries, d.Entries[at])
			taken[at] = true
		}
	}
	for i, e := range d.Entries {
		if !taken[i] {
			entries = append(entries, e)
		}
	}
	return value.AppendEntries(dst, entries, 1)
}

// parseJSON reads JSON text inside a program.
func (m *machine) parseJSON(data []byte) (value.Value, error) {
	v, err := value.Decode(data)
	if err != nil {
		return value.Value{}, value.Failed("Syntax error: " + err.Error())
	}
	if v.Kind != value.KindObject {
		return value.Value{}, value.Failed("Output type incorrect: "+v.TypeName()+" (expecting map)").WithKind("ErrorMismatchOutputType", value.Detail("requested", "map"), value.Detail("actual", v.TypeName()))
	}
	return v, m.allocated(2 * len(data))
}
