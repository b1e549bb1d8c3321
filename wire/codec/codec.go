package codec

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
)

// ErrUnknownMember reports a member that the type does not have (DecodeKnown).
var ErrUnknownMember = errors.New("codec: a member that this version does not know")

// ErrMalformed reports bytes that are not MessagePack, end too early, or have another kind of
// value than the type.
var ErrMalformed = errors.New("codec: malformed message")

// scratch holds the buffers in which messages are encoded. A buffer that grew beyond maxScratch
// is not kept.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

const maxScratch = 1 << 20

// Encode encodes a value, mostly a pointer to a struct.
func Encode(v any) (out []byte, err error) {
	err = EncodeFor(v, func(b []byte) { out = append([]byte(nil), b...) })
	return out, err
}

// EncodeFor encodes a value and passes the bytes to use. They are valid until use returns.
func EncodeFor(v any, use func([]byte)) error {
	buf := scratch.Get().(*[]byte)
	b, err := appendValue((*buf)[:0], v)
	if err != nil {
		return err
	}
	use(b)
	if cap(b) <= maxScratch {
		*buf = b
		scratch.Put(buf)
	}
	return nil
}

func appendValue(b []byte, v any) ([]byte, error) {
	if v == nil {
		return append(b, codeNil), nil
	}
	value := reflect.ValueOf(v)
	t := value.Type()
	if value.Kind() != reflect.Pointer { // not addressable
		at := reflect.New(t)
		at.Elem().Set(value)
		value = at
	} else if t = t.Elem(); value.IsNil() {
		return append(b, codeNil), nil
	}
	p, err := recentPlanOf(t)
	if err != nil {
		return nil, err
	}
	return p.encode(b, value.UnsafePointer()), nil
}

// Decode decodes one value into the target of v. Members that v lacks are skipped; members
// without a value keep theirs. Nothing in v aliases data. The length of data bounds the
// allocations, whatever data contains (leastBudget, budgetPerByte).
func Decode(data []byte, v any) error { return decode(data, v, reader{}) }

// DecodeKnown is Decode, but it refuses members that v lacks.
func DecodeKnown(data []byte, v any) error { return decode(data, v, reader{known: true}) }

// DecodeTogether is Decode for short-lived values. Texts and bytes of the message share memory,
// so keeping one keeps others: a text at most a quarter of a KiB, bytes the size of the
// message.
func DecodeTogether(data []byte, v any) error {
	return decode(data, v, reader{memory: memory{together: true}})
}

// readers are the unused readers.
var readers = sync.Pool{New: func() any { return new(reader) }}

func decode(data []byte, v any, how reader) error {
	value := reflect.ValueOf(v)
	if value.Kind() != reflect.Pointer || value.IsNil() {
		return fmt.Errorf("codec: cannot decode into a %T", v)
	}
	p, err := recentPlanOf(value.Type().Elem())
	if err != nil {
		return err
	}
	r := readers.Get().(*reader)
	*r = how
	r.data, r.budget = data, leastBudget+budgetPerByte*uintptr(len(data))
	err = p.decode(r, value.UnsafePointer())
	*r = reader{}
	readers.Put(r)
	return err
}
