package codec

import (
	"reflect"
	"unsafe"
)

// scalar builds the plan of numbers, texts and booleans. A number that is too large for its
// member loses its upper bits.
func scalar(p *plan, t reflect.Type) {
	switch t.Kind() {
	case reflect.Bool:
		p.empty = emptiness{look: lookZero(1)}
		p.encode = func(b []byte, at unsafe.Pointer) []byte { return appendBool(b, *(*bool)(at)) }
		p.decode = func(r *reader, at unsafe.Pointer) (err error) {
			*(*bool)(at), err = r.bool()
			return err
		}
	case reflect.String:
		p.empty = emptiness{look: lookLength}
		p.encode = func(b []byte, at unsafe.Pointer) []byte { return appendString(b, *(*string)(at)) }
		p.decode = func(r *reader, at unsafe.Pointer) (err error) {
			*(*string)(at), err = r.text()
			return err
		}
	case reflect.Float32, reflect.Float64:
		float(p, t.Kind())
	case reflect.Int:
		integer[int](p)
	case reflect.Int8:
		integer[int8](p)
	case reflect.Int16:
		integer[int16](p)
	case reflect.Int32:
		integer[int32](p)
	case reflect.Int64:
		integer[int64](p)
	case reflect.Uint:
		unsigned[uint](p)
	case reflect.Uint8:
		unsigned[uint8](p)
	case reflect.Uint16:
		unsigned[uint16](p)
	case reflect.Uint32:
		unsigned[uint32](p)
	default:
		unsigned[uint64](p)
	}
}

// integer is the plan of a signed integer.
func integer[T int | int8 | int16 | int32 | int64](p *plan) {
	p.empty = emptiness{look: lookZero(unsafe.Sizeof(T(0)))}
	p.encode = func(b []byte, at unsafe.Pointer) []byte { return appendInt(b, int64(*(*T)(at))) }
	p.decode = func(r *reader, at unsafe.Pointer) error {
		x, err := r.int()
		*(*T)(at) = T(x)
		return err
	}
}

// unsigned is the plan of an unsigned integer.
func unsigned[T uint | uint8 | uint16 | uint32 | uint64](p *plan) {
	p.empty = emptiness{look: lookZero(unsafe.Sizeof(T(0)))}
	p.encode = func(b []byte, at unsafe.Pointer) []byte { return appendUint(b, uint64(*(*T)(at))) }
	p.decode = func(r *reader, at unsafe.Pointer) error {
		x, err := r.int()
		*(*T)(at) = T(x)
		return err
	}
}

// float builds the plan of a floating-point number. Zero is empty, with either sign.
func float(p *plan, k reflect.Kind) {
	if k == reflect.Float32 {
		p.empty = calls(func(at unsafe.Pointer) bool { return *(*float32)(at) == 0 })
		p.encode = func(b []byte, at unsafe.Pointer) []byte { return appendFloat32(b, *(*float32)(at)) }
		p.decode = func(r *reader, at unsafe.Pointer) (err error) {
			*(*float32)(at), err = r.float32()
			return err
		}
		return
	}
	p.empty = calls(func(at unsafe.Pointer) bool { return *(*float64)(at) == 0 })
	p.encode = func(b []byte, at unsafe.Pointer) []byte { return appendFloat64(b, *(*float64)(at)) }
	p.decode = func(r *reader, at unsafe.Pointer) (err error) {
		*(*float64)(at), err = r.float64()
		return err
	}
}

// pointer builds the plan of a pointer: nil, or its target.
func (m *making) pointer(p *plan, t reflect.Type) error {
	elem := t.Elem()
	p.empty = emptiness{look: look{kind: lookWord}}
	to, err := m.plan(elem)
	if err != nil {
		return err
	}
	p.encode = func(b []byte, at unsafe.Pointer) []byte {
		x := *(*unsafe.Pointer)(at)
		if x == nil {
			return append(b, codeNil)
		}
		return to.encode(b, x)
	}
	size := elem.Size()
	p.decode = func(r *reader, at unsafe.Pointer) error {
		x := (*unsafe.Pointer)(at)
		if r.null() {
			*x = nil
			return nil
		}
		if *x == nil {
			if err := r.spend(1, size); err != nil {
				return err
			}
			*x = reflect.New(elem).UnsafePointer()
		}
		if err := r.into(); err != nil {
			return err
		}
		defer r.out()
		return to.decode(r, *x)
	}
	return nil
}
