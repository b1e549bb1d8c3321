package codec

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// plan is all that is known of one type. encode appends the value at a place in memory,
// decode reads one into it, empty tells whether a member with this value is left out: it
// is known before the plans of the types below are.
type plan struct {
	encode func(b []byte, p unsafe.Pointer) []byte
	decode func(r *reader, p unsafe.Pointer) error
	empty  emptiness
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
	for _, s := range m.structures {
		s.join()
	}
	for t, p := range m.types {
		plans.ready.Store(t, p)
	}
	return p, nil
}

// met are the plans of types that were met before, each where its address leads: a type
// that meets another one there takes its place. A search of a large map costs more when
// little of it is near the processor.
var met [128]atomic.Pointer[meeting]

type meeting struct {
	typ  reflect.Type
	plan *plan
}

// metPlan is planOf for the types of whole messages.
func metPlan(t reflect.Type) (*plan, error) {
	place := &met[reflect.ValueOf(t).Pointer()/32%uintptr(len(met))]
	if m := place.Load(); m != nil && m.typ == t {
		return m.plan, nil
	}
	p, err := planOf(t)
	if err == nil {
		place.Store(&meeting{t, p})
	}
	return p, err
}

// making is plans that refer to each other and are not ready yet.
type making struct {
	types      map[reflect.Type]*plan
	structures []*structure
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
		scalar(p, t)
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

// member is a field of a struct that travels. Its functions are those of the plan of its
// type, without a way to it.
type member struct {
	offset uintptr // of its place within that of the struct
	name   shortName
	encode func(b []byte, p unsafe.Pointer) []byte
	decode func(r *reader, p unsafe.Pointer) error
}

// members finds the fields of a struct that travel, in their order.
func (m *making) members(s *structure, t reflect.Type) error {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("msgpack"), ",")
		if name == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if f.Anonymous || options != "" && options != "omitempty" {
			return fmt.Errorf("codec: member %s of %s cannot travel: it is embedded, or has the option %q", f.Name, t, options)
		}
		if name == "" {
			name = f.Name
		}
		p, err := m.plan(f.Type)
		if err != nil {
			return fmt.Errorf("member %s of %s: %w", f.Name, t, err)
		}
		s.add(name, f.Offset, p)
	}
	return nil
}
