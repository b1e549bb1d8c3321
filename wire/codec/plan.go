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

// plan describes one type. encode appends the value at an address, decode reads a value into
// it. empty tells whether a member with this value is omitted; it is known before the plans of
// the types below.
type plan struct {
	encode func(b []byte, p unsafe.Pointer) []byte
	decode func(r *reader, p unsafe.Pointer) error
	empty  emptiness
}

// plans are the finished plans, by type. A type is in ready once all types below it are.
var plans = struct {
	ready  sync.Map // reflect.Type to *plan
	making sync.Mutex
}{}

// planOf returns the plan of a type, and builds it the first time.
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

// recent caches plans by type address. A collision evicts the older entry. It is faster than
// the large map, of which little is in the processor's caches.
var recent [128]atomic.Pointer[recentPlan]

type recentPlan struct {
	typ  reflect.Type
	plan *plan
}

// recentPlanOf is planOf for the types of whole messages.
func recentPlanOf(t reflect.Type) (*plan, error) {
	place := &recent[reflect.ValueOf(t).Pointer()/32%uintptr(len(recent))]
	if m := place.Load(); m != nil && m.typ == t {
		return m.plan, nil
	}
	p, err := planOf(t)
	if err == nil {
		place.Store(&recentPlan{t, p})
	}
	return p, err
}

// making is a set of plans under construction, which may refer to each other.
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
	m.types[t] = p // a recursive type finds it
	if err := m.fill(p, t); err != nil {
		return nil, err
	}
	return p, nil
}

// fill completes a plan by the kind of its type.
func (m *making) fill(p *plan, t reflect.Type) error {
	if reason := unsupported(t); reason != "" {
		return fmt.Errorf("codec: %s cannot be encoded: %s", t, reason)
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
	return fmt.Errorf("codec: %s cannot be encoded: kind %s is not supported", t, t.Kind())
}

// forms are interfaces of types that define their own encoding or emptiness, which no message
// needs. The method names are written out, because a program that asks types for their methods
// keeps all methods of all types.
var forms = []struct {
	is     reflect.Type
	method string
}{
	{reflect.TypeFor[encoding.BinaryMarshaler](), "MarshalBinary"}, {reflect.TypeFor[encoding.BinaryUnmarshaler](), "UnmarshalBinary"},
	{reflect.TypeFor[encoding.TextMarshaler](), "MarshalText"}, {reflect.TypeFor[encoding.TextUnmarshaler](), "UnmarshalText"},
	{reflect.TypeFor[interface{ IsZero() bool }](), "IsZero"},
}

// unsupported returns the reason why a type is not a plain one, "" if it is.
func unsupported(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		return "" // the target's type is checked instead
	}
	for _, form := range forms {
		if t.Implements(form.is) || reflect.PointerTo(t).Implements(form.is) {
			return "it has " + form.method + ", and only plain types travel"
		}
	}
	return ""
}

// member is an encoded field of a struct. Its functions are copied from the plan of its type,
// to save an indirection.
type member struct {
	offset uintptr // within the struct
	name   shortName
	encode func(b []byte, p unsafe.Pointer) []byte
	decode func(r *reader, p unsafe.Pointer) error
}

// members finds the encoded fields of a struct, in order.
func (m *making) members(s *structure, t reflect.Type) error {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("msgpack"), ",")
		if name == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if f.Anonymous || options != "" && options != "omitempty" {
			return fmt.Errorf("codec: member %s of %s cannot be encoded: it is embedded, or has the option %q", f.Name, t, options)
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
