package codec

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

func errMapKey(t reflect.Type) error {
	return fmt.Errorf("codec: %s cannot be encoded: map keys must be strings", t)
}

// mapping builds the plan of a map with text keys, which are written in ascending order.
func (m *making) mapping(p *plan, t reflect.Type) error {
	if t.Key().Kind() != reflect.String {
		return errMapKey(t)
	}
	p.empty = calls(func(place unsafe.Pointer) bool { return valueAt(t, place).Len() == 0 })
	key, err := m.plan(t.Key())
	if err != nil {
		return err
	}
	elem, err := m.plan(t.Elem())
	if err != nil {
		return err
	}
	s := mapped{t, key, elem}
	p.encode, p.decode = s.encode, s.decode
	return nil
}

type mapped struct {
	typ       reflect.Type
	key, elem *plan
}

func (s *mapped) encode(b []byte, place unsafe.Pointer) []byte {
	v := valueAt(s.typ, place)
	if v.IsNil() {
		return append(b, codeNil)
	}
	b = appendMapSize(b, v.Len())
	keys := v.MapKeys()
	slices.SortFunc(keys, func(x, y reflect.Value) int { return cmp.Compare(x.String(), y.String()) })
	e := reflect.New(s.typ.Elem()) // elements of a map are not addressable
	for _, k := range keys {
		e.Elem().Set(v.MapIndex(k))
		b = s.elem.encode(appendString(b, k.String()), e.UnsafePointer())
	}
	return b
}

func (s *mapped) decode(r *reader, place unsafe.Pointer) error {
	v := valueAt(s.typ, place)
	n, none, err := r.fields()
	if err != nil || none {
		v.SetZero()
		return err
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(s.typ))
	}
	if err := r.into(); err != nil {
		return err
	}
	defer r.out()
	entry := s.typ.Key().Size() + s.typ.Elem().Size()
	for range n {
		if err := r.spend(1, entry); err != nil {
			return err
		}
		k, e := reflect.New(s.typ.Key()), reflect.New(s.typ.Elem())
		if err := s.key.decode(r, k.UnsafePointer()); err != nil {
			return err
		}
		if err := s.elem.decode(r, e.UnsafePointer()); err != nil {
			return err
		}
		v.SetMapIndex(k.Elem(), e.Elem())
	}
	return nil
}
