package codec

import (
	"fmt"
	"reflect"
)

func errMapKey(t reflect.Type) error {
	return fmt.Errorf("codec: %s cannot travel: the keys of a map are texts", t)
}

// atOnce is how many elements a list gets room for before they are read: its size is
// what somebody else says.
const atOnce = 1024

// slice is the plan of a slice: bytes as such, others as a list.
func (m *making) slice(p *plan, t reflect.Type) error {
	p.empty = func(v reflect.Value) bool { return v.Len() == 0 }
	switch {
	case t.Elem().Kind() == reflect.Uint8:
		byteSlice(p)
		return nil
	case t == reflect.TypeFor[[]uint32]():
		numbers(p)
		return nil
	}
	elem, err := m.plan(t.Elem())
	if err != nil {
		return err
	}
	p.encode = func(b []byte, v reflect.Value) []byte {
		if v.IsNil() {
			return append(b, codeNil)
		}
		return appendList(b, v, elem)
	}
	p.decode = func(r *reader, v reflect.Value) error {
		n, none, err := r.list()
		if err != nil || none {
			v.SetZero()
			return err
		}
		if n <= v.Cap() {
			v.SetLen(n)
		} else {
			v.SetZero()
			if err := room(r, v, min(n, atOnce)); err != nil {
				return err
			}
		}
		if v.IsNil() {
			v.Set(reflect.MakeSlice(t, 0, 0))
		}
		if err := r.into(); err != nil {
			return err
		}
		defer r.out()
		for i := range n {
			if i == v.Len() {
				if err := room(r, v, min(n, 2*i)); err != nil {
					return err
				}
			}
			if err := elem.decode(r, v.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// room makes a slice n elements long, with those that it has.
func room(r *reader, v reflect.Value, n int) error {
	if err := r.spend(n-v.Len(), v.Type().Elem().Size()); err != nil {
		return err
	}
	longer := reflect.MakeSlice(v.Type(), n, n)
	reflect.Copy(longer, v)
	v.Set(longer)
	return nil
}

func appendList(b []byte, v reflect.Value, elem *plan) []byte {
	n := v.Len()
	b = appendArraySize(b, n)
	for i := range n {
		b = elem.encode(b, v.Index(i))
	}
	return b
}

// byteSlice is the plan of bytes, which are copied.
func byteSlice(p *plan) {
	p.encode = func(b []byte, v reflect.Value) []byte {
		if v.IsNil() {
			return append(b, codeNil)
		}
		return appendBytes(b, v.Bytes())
	}
	p.decode = func(r *reader, v reflect.Value) error {
		x, err := r.bytes()
		if err != nil || x == nil {
			v.SetZero()
			return err
		}
		v.SetBytes(append(make([]byte, 0, len(x)), x...))
		return nil
	}
}

// numbers is the plan of ordinals, the longest lists there are.
func numbers(p *plan) {
	p.encode = func(b []byte, v reflect.Value) []byte {
		if v.IsNil() {
			return append(b, codeNil)
		}
		var list []uint32
		if v.CanAddr() {
			list = *v.Addr().Interface().(*[]uint32) // takes no memory
		} else {
			list = v.Interface().([]uint32)
		}
		b = appendArraySize(b, len(list))
		for _, n := range list {
			b = appendUint(b, uint64(n))
		}
		return b
	}
	p.decode = func(r *reader, v reflect.Value) error {
		n, none, err := r.list()
		if err != nil || none {
			v.SetZero()
			return err
		}
		if err := r.spend(n, 4); err != nil {
			return err
		}
		list := make([]uint32, n) // each takes a byte of the message at least
		for i := range list {
			x, err := r.int()
			if err != nil {
				return err
			}
			list[i] = uint32(x)
		}
		*v.Addr().Interface().(*[]uint32) = list
		return nil
	}
}

// array is the plan of an array: bytes as such, others as a list, which may be shorter
// when it is read.
func (m *making) array(p *plan, t reflect.Type) error {
	elem, err := m.plan(t.Elem())
	if err != nil {
		return err
	}
	p.empty = func(v reflect.Value) bool { return v.Len() == 0 }
	if t.Elem().Kind() == reflect.Uint8 {
		p.encode = func(b []byte, v reflect.Value) []byte {
			if !v.CanAddr() {
				x := reflect.New(t).Elem()
				x.Set(v)
				v = x
			}
			return appendBytes(b, v.Bytes())
		}
		p.decode = func(r *reader, v reflect.Value) error {
			x, err := r.bytes()
			if err == nil && len(x) > v.Len() {
				err = tooLong(t, len(x))
			}
			if err == nil {
				reflect.Copy(v, reflect.ValueOf(x))
			}
			return err
		}
		return nil
	}
	p.encode = func(b []byte, v reflect.Value) []byte { return appendList(b, v, elem) }
	p.decode = func(r *reader, v reflect.Value) error {
		n, _, err := r.list()
		if err == nil && n > v.Len() {
			err = tooLong(t, n)
		}
		for i := 0; err == nil && i < n; i++ {
			err = elem.decode(r, v.Index(i))
		}
		return err
	}
	return nil
}

func tooLong(t reflect.Type, n int) error {
	return fmt.Errorf("%w: %d elements for a %s", ErrMalformed, n, t)
}
