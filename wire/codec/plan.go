package codec

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// plan is all that is known of one type. encode appends the value, decode reads one
// into a settable value, empty tells whether a member with this value is left out.
type plan struct {
	encode func(b []byte, v reflect.Value) []byte
	decode func(r *reader, v reflect.Value) error
	empty  func(v reflect.Value) bool
}

// plans are those that were put together so far, by type. A type stands in them once
// all types below it do.
var plans = struct {
	ready  sync.Map // reflect.Type to *plan
	making sync.Mutex
}{}

// planOf returns the plan of a type, which is put together the first time.
func planOf(t reflect.Type) (*plan, error) {
	if p, ok := plans.ready.Load(t); ok {
		return p.(*plan), nil
	}
	plans.making.Lock()
	defer plans.making.Unlock()
	m := &making{types: make(map[reflect.Type]*plan)}
	p, err := m.plan(t)
	if err != nil {
		return nil, err
	}
	for t, p := range m.types {
		plans.ready.Store(t, p)
	}
	return p, nil
}

// making is plans that refer to each other and are not ready yet.
type making struct {
	types map[reflect.Type]*plan
}

func (m *making) plan(t reflect.Type) (*plan, error) {
	if p, ok := plans.ready.Load(t); ok {
		return p.(*plan), nil
	}
	if p, ok := m.types[t]; ok {
		return p, nil
	}
	p := new(plan)
	m.types[t] = p // a type inside itself finds it
	if err := m.fill(p, t); err != nil {
		return nil, err
	}
	return p, nil
}

// fill puts a plan together by the kind of its type.
func (m *making) fill(p *plan, t reflect.Type) error {
	if reason := strange(t); reason != "" {
		return fmt.Errorf("codec: %s cannot travel: %s", t, reason)
	}
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		scalar(p, t.Kind())
		return nil
	case reflect.Pointer:
		return m.pointer(p, t)
	case reflect.Struct:
		return m.structure(p, t)
	case reflect.Slice:
		return m.slice(p, t)
	case reflect.Array:
		return m.array(p, t)
	case reflect.Map:
		return m.mapping(p, t)
	}
	return fmt.Errorf("codec: %s cannot travel: values of kind %s have no form", t, t.Kind())
}

// forms are interfaces of types that say themselves how they are written or what is
// empty, which no message needs, by a method of theirs. It is written out: a program that
// asks types for their methods keeps all methods of all types.
var forms = []struct {
	is     reflect.Type
	method string
}{
	{reflect.TypeFor[encoding.BinaryMarshaler](), "MarshalBinary"}, {reflect.TypeFor[encoding.BinaryUnmarshaler](), "UnmarshalBinary"},
	{reflect.TypeFor[encoding.TextMarshaler](), "MarshalText"}, {reflect.TypeFor[encoding.TextUnmarshaler](), "UnmarshalText"},
	{reflect.TypeFor[interface{ IsZero() bool }](), "IsZero"},
}

// strange says why a type is none of the plain ones, "" if it is.
func strange(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		return "" // what it points to is asked
	}
	for _, form := range forms {
		if t.Implements(form.is) || reflect.PointerTo(t).Implements(form.is) {
			return "it has " + form.method + ", and only plain types travel"
		}
	}
	return ""
}

// member is a field of a struct that travels.
type member struct {
	index int
	name  string
	key   []byte // the name as it is written
	*plan
}

// members are the fields of a struct that travel, in their order.
func (m *making) members(t reflect.Type) ([]member, error) {
	var out []member
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("msgpack"), ",")
		if name == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if f.Anonymous || options != "" && options != "omitempty" {
			return nil, fmt.Errorf("codec: member %s of %s cannot travel: it is embedded, or has the option %q", f.Name, t, options)
		}
		if name == "" {
			name = f.Name
		}
		p, err := m.plan(f.Type)
		if err != nil {
			return nil, fmt.Errorf("member %s of %s: %w", f.Name, t, err)
		}
		out = append(out, member{index: i, name: name, key: appendString(nil, name), plan: p})
	}
	return out, nil
}
