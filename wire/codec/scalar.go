package codec

import (
	"cmp"
	"reflect"
	"slices"
)

// scalar is the plan of numbers, texts and truth values. A number that is too large for
// its member loses its upper bits.
func scalar(p *plan, k reflect.Kind) {
	switch k {
	case reflect.Bool:
		p.encode = func(b []byte, v reflect.Value) []byte { return appendBool(b, v.Bool()) }
		p.decode = func(r *reader, v reflect.Value) error {
			x, err := r.bool()
			v.SetBool(x)
			return err
		}
		p.empty = func(v reflect.Value) bool { return !v.Bool() }
	case reflect.String:
		p.encode = func(b []byte, v reflect.Value) []byte { return appendString(b, v.String()) }
		p.decode = func(r *reader, v reflect.Value) error {
			x, err := r.bytes()
			v.SetString(string(x))
			return err
		}
		p.empty = func(v reflect.Value) bool { return v.Len() == 0 }
	case reflect.Float32:
		p.encode = func(b []byte, v reflect.Value) []byte { return appendFloat32(b, float32(v.Float())) }
		p.decode = func(r *reader, v reflect.Value) error {
			x, err := r.float32()
			v.SetFloat(float64(x))
			return err
		}
		p.empty = func(v reflect.Value) bool { return v.Float() == 0 }
	case reflect.Float64:
		p.encode = func(b []byte, v reflect.Value) []byte { return appendFloat64(b, v.Float()) }
		p.decode = func(r *reader, v reflect.Value) error {
			x, err := r.float64()
			v.SetFloat(x)
			return err
		}
		p.empty = func(v reflect.Value) bool { return v.Float() == 0 }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.encode = func(b []byte, v reflect.Value) []byte { return appendInt(b, v.Int()) }
		p.decode = func(r *reader, v reflect.Value) error {
			x, err := r.int()
			v.SetInt(x)
			return err
		}
		p.empty = func(v reflect.Value) bool { return v.Int() == 0 }
	default:
		p.encode = func(b []byte, v reflect.Value) []byte { return appendUint(b, v.Uint()) }
		p.decode = func(r *reader, v reflect.Value) error {
			x, err := r.int()
			v.SetUint(uint64(x))
			return err
		}
		p.empty = func(v reflect.Value) bool { return v.Uint() == 0 }
	}
}

// pointer is the plan of a pointer: nil, or what it points to.
func (m *making) pointer(p *plan, t reflect.Type) error {
	to, err := m.plan(t.Elem())
	if err != nil {
		return err
	}
	elem := t.Elem()
	p.empty = reflect.Value.IsNil
	p.encode = func(b []byte, v reflect.Value) []byte {
		if v.IsNil() {
			return append(b, codeNil)
		}
		return to.encode(b, v.Elem())
	}
	p.decode = func(r *reader, v reflect.Value) error {
		if r.null() {
			v.SetZero()
			return nil
		}
		if v.IsNil() {
			if err := r.spend(1, elem.Size()); err != nil {
				return err
			}
			v.Set(reflect.New(elem))
		}
		if err := r.into(); err != nil {
			return err
		}
		defer r.out()
		return to.decode(r, v.Elem())
	}
	return nil
}

// mapping is the plan of a map with texts as keys, which are written in their order.
func (m *making) mapping(p *plan, t reflect.Type) error {
	if t.Key().Kind() != reflect.String {
		return errMapKey(t)
	}
	key, err := m.plan(t.Key())
	if err != nil {
		return err
	}
	elem, err := m.plan(t.Elem())
	if err != nil {
		return err
	}
	p.empty = func(v reflect.Value) bool { return v.Len() == 0 }
	p.encode = func(b []byte, v reflect.Value) []byte {
		if v.IsNil() {
			return append(b, codeNil)
		}
		b = appendMapSize(b, v.Len())
		keys := v.MapKeys()
		slices.SortFunc(keys, func(x, y reflect.Value) int { return cmp.Compare(x.String(), y.String()) })
		for _, k := range keys {
			b = elem.encode(key.encode(b, k), v.MapIndex(k))
		}
		return b
	}
	entry := t.Key().Size() + t.Elem().Size()
	p.decode = func(r *reader, v reflect.Value) error {
		n, none, err := r.fields()
		if err != nil || none {
			v.SetZero()
			return err
		}
		if v.IsNil() {
			v.Set(reflect.MakeMap(t))
		}
		if err := r.into(); err != nil {
			return err
		}
		defer r.out()
		for range n {
			if err := r.spend(1, entry); err != nil {
				return err
			}
			k, e := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			if err := key.decode(r, k); err != nil {
				return err
			}
			if err := elem.decode(r, e); err != nil {
				return err
			}
			v.SetMapIndex(k, e)
		}
		return nil
	}
	return nil
}
