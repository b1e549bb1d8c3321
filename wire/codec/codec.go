package codec

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
)

// ErrUnknownMember reports a member that the type does not have (DecodeKnown).
var ErrUnknownMember = errors.New("codec: a member that this version does not know")

// ErrMalformed reports bytes that are not MessagePack, end too early, or hold another
// kind of value than the type has.
var ErrMalformed = errors.New("codec: malformed message")

// scratch are the buffers that messages are put together in. One that grew beyond
// maxScratch is not kept.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

const maxScratch = 1 << 20

// Encode encodes a value, mostly a pointer to a struct.
func Encode(v any) (out []byte, err error) {
	err = EncodeFor(v, func(b []byte) { out = append([]byte(nil), b...) })
	return out, err
}

// EncodeFor encodes a value for somebody who looks at the bytes once: they are his until
// use returns.
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
	if value.Kind() != reflect.Pointer { // it has no place yet
		at := reflect.New(t)
		at.Elem().Set(value)
		value = at
	} else if t = t.Elem(); value.IsNil() {
		return append(b, codeNil), nil
	}
	p, err := metPlan(t)
	if err != nil {
		return nil, err
	}
	return p.encode(b, value.UnsafePointer()), nil
}

// Decode decodes one value into what v points to. Members that v does not have are
// skipped, members without a value keep what they hold. Nothing in v aliases data. What is
// allocated is bounded by the length of data, whatever it says (leastRoom, roomPerByte).
func Decode(data []byte, v any) error { return decode(data, v, reader{}) }

// DecodeKnown is Decode that refuses members that v does not have.
func DecodeKnown(data []byte, v any) error { return decode(data, v, reader{known: true}) }

// DecodeTogether is Decode for what is soon forgotten: texts and bytes of the message share
// memory, so that one that is kept keeps others: a text a quarter of a KiB at most, bytes the size
// of the message.
func DecodeTogether(data []byte, v any) error {
	return decode(data, v, reader{memory: memory{together: true}})
}

// readers are those that nobody uses at present.
var readers = sync.Pool{New: func() any { return new(reader) }}

func decode(data []byte, v any, how reader) error {
	value := reflect.ValueOf(v)
	if value.Kind() != reflect.Pointer || value.IsNil() {
		return fmt.Errorf("codec: cannot decode into a %T", v)
	}
	p, err := metPlan(value.Type().Elem())
	if err != nil {
		return err
	}
	r := readers.Get().(*reader)
	*r = how
	r.data, r.room = data, leastRoom+roomPerByte*uintptr(len(data))
	err = p.decode(r, value.UnsafePointer())
	*r = reader{}
	readers.Put(r)
	return err
}
