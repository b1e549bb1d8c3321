package api

import "strconv"

// The writers of values, in patches and in answers. A list that is nil is empty.
// The last parameter, for writers that know secrets, says whether to mask them.

func writeStrings(dst []byte, list []string, _ bool) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, s)
	}
	return append(dst, ']')
}

func writeString(dst []byte, s string, _ bool) []byte { return AppendString(dst, s) }

func writeUint(dst []byte, n uint64, _ bool) []byte { return strconv.AppendUint(dst, n, 10) }

func writeBool(dst []byte, b bool, _ bool) []byte {
	v := BoolValue(b)
	return v.AppendJSON(dst)
}

// writeMap writes an object of the entries in their order.
func writeMap[T any](dst []byte, list []Entry[T], write func([]byte, T) []byte) []byte {
	dst = append(dst, '{')
	for i, e := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = write(append(AppendString(dst, e.Name), ':'), e.Value)
	}
	return append(dst, '}')
}

// writeField writes a member that was given: null, or its value.
func writeField[T any](o *object, name string, f Field[T], write func([]byte, T, bool) []byte) {
	switch {
	case !f.Given():
	case f.IsNull():
		o.null(name)
	default:
		o.member(name)
		o.buf = write(o.buf, f.Value, false)
	}
}
