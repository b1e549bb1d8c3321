package codec

import (
	"fmt"
	"reflect"
	"unsafe"
)

// atOnce bounds the elements allocated for a list before they are read, because the sender
// states its size.
const atOnce = 1024

// slice builds the plan of a slice: bytes as such, other elements as a list.
func (m *making) slice(p *plan, t reflect.Type) error {
	p.empty = emptiness{look: lookLength}
	switch t.Elem().Kind() {
	case reflect.Uint8:
		byteSlice(p)
		return nil
	case reflect.Uint16:
		numbers[uint16](p)
		return nil
	case reflect.Uint32:
		numbers[uint32](p)
		return nil
	case reflect.Uint64:
		numbers[uint64](p)
		return nil
	}
	elem, err := m.plan(t.Elem())
	if err != nil {
		return err
	}
	l := &list{typ: t, size: t.Elem().Size(), elem: elem}
	p.encode, p.decode = l.encode, l.decode
	return nil
}

// list is the plan of a slice whose elements have a plan.
type list struct {
	typ  reflect.Type
	size uintptr // of an element
	elem *plan
}

func (l *list) encode(b []byte, p unsafe.Pointer) []byte {
	h := (*header)(p)
	if h.data == nil {
		return append(b, codeNil)
	}
	return appendList(b, h.data, h.len, l.size, l.elem)
}

func (l *list) decode(r *reader, p unsafe.Pointer) error {
	h := (*header)(p)
	n, none, err := r.list()
	if err != nil || none {
		*h = header{}
		return err
	}
	if n <= h.cap && h.data != nil {
		h.len = n
	} else {
		if err := l.fresh(r, h, min(n, atOnce)); err != nil {
			*h = header{}
			return err
		}
	}
	if err := r.into(); err != nil {
		return err
	}
	defer r.out()
	for i := range n {
		if i == h.len {
			if err := l.grow(r, p, min(n, 2*i)); err != nil {
				return err
			}
		}
		if err := l.elem.decode(r, unsafe.Add(h.data, uintptr(i)*l.size)); err != nil {
			return err
		}
	}
	return nil
}

// fresh allocates an empty slice of n elements.
func (l *list) fresh(r *reader, h *header, n int) error {
	if err := r.spend(n, l.size); err != nil {
		return err
	}
	if n == 1 { // a frequent case
		*h = header{reflect.New(l.typ.Elem()).UnsafePointer(), 1, 1}
		return nil
	}
	*h = header{reflect.MakeSlice(l.typ, n, n).UnsafePointer(), n, n}
	return nil
}

// grow extends a slice to n elements and keeps the present ones.
func (l *list) grow(r *reader, p unsafe.Pointer, n int) error {
	v := valueAt(l.typ, p)
	if err := r.spend(n-v.Len(), l.size); err != nil {
		return err
	}
	longer := reflect.MakeSlice(l.typ, n, n)
	reflect.Copy(longer, v)
	v.Set(longer)
	return nil
}

func appendList(b []byte, data unsafe.Pointer, n int, size uintptr, elem *plan) []byte {
	b = appendArraySize(b, n)
	for i := range n {
		b = elem.encode(b, unsafe.Add(data, uintptr(i)*size))
	}
	return b
}

// byteSlice is the plan of bytes. Decoding copies them.
func byteSlice(p *plan) {
	p.encode = func(b []byte, at unsafe.Pointer) []byte {
		v := *(*[]byte)(at)
		if v == nil {
			return append(b, codeNil)
		}
		return appendBytes(b, v)
	}
	p.decode = func(r *reader, at unsafe.Pointer) error {
		x, err := r.bytes()
		*(*[]byte)(at) = r.own(x)
		return err
	}
}

// numbers is the plan of lists of integers such as ordinals, the longest lists there are.
func numbers[T uint16 | uint32 | uint64](p *plan) {
	p.encode = func(b []byte, at unsafe.Pointer) []byte {
		list := *(*[]T)(at)
		if list == nil {
			return append(b, codeNil)
		}
		b = appendArraySize(b, len(list))
		for _, n := range list {
			b = appendUint(b, uint64(n))
		}
		return b
	}
	p.decode = func(r *reader, at unsafe.Pointer) error {
		n, none, err := r.list()
		if err != nil || none {
			*(*[]T)(at) = nil
			return err
		}
		if err := r.spend(n, unsafe.Sizeof(T(0))); err != nil {
			return err
		}
		list := make([]T, n) // each takes at least a byte of the message
		for i := range list {
			if c, ok := r.small(); ok {
				list[i] = T(c)
				continue
			}
			x, err := r.int()
			if err != nil {
				return err
			}
			list[i] = T(x)
		}
		*(*[]T)(at) = list
		return nil
	}
}

// array builds the plan of an array: bytes as such, other elements as a list, which may be
// shorter when it is read.
func (m *making) array(p *plan, t reflect.Type) error {
	length, size := t.Len(), t.Elem().Size()
	p.empty = calls(func(unsafe.Pointer) bool { return length == 0 })
	elem, err := m.plan(t.Elem())
	if err != nil {
		return err
	}
	if t.Elem().Kind() == reflect.Uint8 {
		p.encode = func(b []byte, at unsafe.Pointer) []byte { return appendBytes(b, unsafe.Slice((*byte)(at), length)) }
		p.decode = func(r *reader, at unsafe.Pointer) error {
			x, err := r.bytes()
			if err == nil && len(x) > length {
				err = tooLong(t, len(x))
			}
			if err == nil {
				copy(unsafe.Slice((*byte)(at), length), x)
			}
			return err
		}
		return nil
	}
	p.encode = func(b []byte, at unsafe.Pointer) []byte { return appendList(b, at, length, size, elem) }
	p.decode = func(r *reader, at unsafe.Pointer) error {
		n, _, err := r.list()
		if err == nil && n > length {
			err = tooLong(t, n)
		}
		for i := 0; err == nil && i < n; i++ {
			err = elem.decode(r, unsafe.Add(at, uintptr(i)*size))
		}
		return err
	}
	return nil
}

func tooLong(t reflect.Type, n int) error {
	return fmt.Errorf("%w: %d elements for a %s", ErrMalformed, n, t)
}
