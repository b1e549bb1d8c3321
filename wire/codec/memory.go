package codec

import (
	"reflect"
	"unsafe"
)

// A place that a function of a plan gets is that of a value of the type of this plan, which
// a caller has or reflection has made. It reads and writes nothing but this value, and
// goes to members and elements by the offsets and sizes of reflection. So a type and its
// plan cannot come apart but here.

// header is a slice as the language has it in memory.
type header struct {
	data     unsafe.Pointer
	len, cap int
}

// valueAt is the value of a type at a place, for what is done by reflection.
func valueAt(t reflect.Type, p unsafe.Pointer) reflect.Value { return reflect.NewAt(t, p).Elem() }

// emptiness is how one finds out whether a value is empty. Most kinds are when some bytes
// of them are all zero, which takes no call.
type emptiness struct {
	look look
	call func(p unsafe.Pointer) bool // lookCall
}

// look says which bytes of a value to look at. It is small, since all those of a message
// are read whenever one is encoded.
type look struct {
	at   uint16
	kind lookKind
}

type lookKind uint8

// What to look at.
const (
	lookWord lookKind = iota // a pointer, or the length of a text or list
	look1
	look2
	look4
	look8
	lookCall
)

// lookLength is for texts and lists: they have their length behind a pointer.
var lookLength = look{at: uint16(unsafe.Sizeof(uintptr(0))), kind: lookWord}

// lookZero is for values of a size that are empty when they are zero.
func lookZero(size uintptr) look {
	return look{kind: map[uintptr]lookKind{1: look1, 2: look2, 4: look4, 8: look8}[size]}
}

// zero tells whether what is looked at, of any kind but lookCall, is zero.
func (k lookKind) zero(p unsafe.Pointer) bool {
	switch k {
	case look1:
		return *(*uint8)(p) == 0
	case look2:
		return *(*uint16)(p) == 0
	case look4:
		return *(*uint32)(p) == 0
	case look8:
		return *(*uint64)(p) == 0
	}
	return *(*uintptr)(p) == 0
}

// calls is the emptiness of a value that a function tells.
func calls(empty func(p unsafe.Pointer) bool) emptiness {
	return emptiness{look{kind: lookCall}, empty}
}
