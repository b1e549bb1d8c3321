package decode

import (
	"strconv"

	"shoal/api/jsonvalue"
)

// The writers of values, for patches and answers. A nil list is written as an empty one.
// The last parameter tells writers that know secrets to mask them.

func WriteStrings(dst []byte, list []string, _ bool) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonvalue.AppendString(dst, s)
	}
	return append(dst, ']')
}

func WriteString(dst []byte, s string, _ bool) []byte { return jsonvalue.AppendString(dst, s) }

func WriteUint(dst []byte, n uint64, _ bool) []byte { return strconv.AppendUint(dst, n, 10) }

func WriteBool(dst []byte, b bool, _ bool) []byte {
	v := jsonvalue.BoolValue(b)
	return v.AppendJSON(dst)
}

// WriteMap writes an object of the entries in their order.
func WriteMap[T any](dst []byte, list []Entry[T], write func([]byte, T) []byte) []byte {
	dst = append(dst, '{')
	for i, e := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = write(append(jsonvalue.AppendString(dst, e.Name), ':'), e.Value)
	}
	return append(dst, '}')
}

// WriteField writes the member, as null or as its value, if it was given.
func WriteField[T any](o *jsonvalue.ObjectWriter, name string, f Field[T], write func([]byte, T, bool) []byte) {
	switch {
	case !f.Given():
	case f.IsNull():
		o.Null(name)
	default:
		o.Member(name)
		o.Buf = write(o.Buf, f.Value, false)
	}
}
