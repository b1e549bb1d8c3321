package codec

import (
	"reflect"
	"unsafe"
)

// A function of a plan gets the address of a value of the plan's type, from a caller or from
// reflection. It accesses nothing but this value, and reaches members and elements by the
// offsets and sizes that reflection reports. So a type and its plan can only disagree in this
// package.

// header is the memory layout of a slice.
type header struct {
	data     unsafe.Pointer
	len, cap int
}

// valueAt returns the value of a type at an address, for reflection.
func valueAt(t reflect.Type, p unsafe.Pointer) reflect.Value { return reflect.NewAt(t, p).Elem() }

// emptiness tells how to find out whether a value is empty. Most kinds are empty when some of
// their bytes are zero, which needs no call.
type emptiness struct {
	look look
	call func(p unsafe.Pointer) bool // lookCall
}

// look tells which bytes of a value to check. It is small, because encoding reads those of all
// members.
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

// lookLength is for texts and lists, which have their length behind a pointer.
var lookLength = look{at: uint16(unsafe.Sizeof(uintptr(0))), kind: lookWord}

// lookZero is for values of a given size that are empty when they are zero.
func lookZero(size uintptr) look {
	return look{kind: map[uintptr]lookKind{1: look1, 2: look2, 4: look4, 8: look8}[size]}
}

// zero tells whether the checked bytes are zero, for any kind but lookCall.
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

// calls returns the emptiness that a function determines.
func calls(empty func(p unsafe.Pointer) bool) emptiness {
	return emptiness{look{kind: lookCall}, empty}
}
