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
func Encode(v any) ([]byte, error) {
	if v == nil {
		return []byte{codeNil}, nil
	}
	value := reflect.ValueOf(v)
	p, err := planOf(value.Type())
	if err != nil {
		return nil, err
	}
	buf := scratch.Get().(*[]byte)
	b := p.encode((*buf)[:0], value)
	out := make([]byte, len(b))
	copy(out, b)
	if cap(b) <= maxScratch {
		*buf = b
		scratch.Put(buf)
	}
	return out, nil
}

// Decode decodes one value into what v points to. Members that v does not have are
// skipped, members without a value keep what they hold. Nothing in v aliases data. What is
// allocated is bounded by the length of data, whatever it says (leastRoom, roomPerByte).
func Decode(data []byte, v any) error { return decode(newReader(data, false), v) }

// DecodeKnown is Decode that refuses members that v does not have.
func DecodeKnown(data []byte, v any) error { return decode(newReader(data, true), v) }

func decode(r *reader, v any) error {
	value := reflect.ValueOf(v)
	if value.Kind() != reflect.Pointer || value.IsNil() {
		return fmt.Errorf("codec: cannot decode into a %T", v)
	}
	p, err := planOf(value.Type().Elem())
	if err != nil {
		return err
	}
	return p.decode(r, value.Elem())
}
