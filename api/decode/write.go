package decode

import (
	"strconv"

	"shoal/api/jsonvalue"
)

// The writers of values, for patches and answers. A nil list is written as an empty one.
// The last parameter tells writers that know secrets to mask them.

func WriteStrings(dst []byte, list []string, _ bool) []byte {
	return jsonvalue.AppendList(dst, list, func(s *string, dst []byte) []byte { return jsonvalue.AppendString(dst, *s) })
}

func WriteString(dst []byte, s string, _ bool) []byte { return jsonvalue.AppendString(dst, s) }

func WriteUint(dst []byte, n uint64, _ bool) []byte { return strconv.AppendUint(dst, n, 10) }

func WriteBool(dst []byte, b bool, _ bool) []byte {
	v := jsonvalue.BoolValue(b)
	return v.AppendJSON(dst)
}

// WriteMap writes an object of the entries in their order.
func WriteMap[T any](dst []byte, list []Entry[T], write func([]byte, T) []byte) []byte {
	o := jsonvalue.ObjectWriter{Buf: dst}
	for _, e := range list {
		o.Key(e.Name)
		o.Buf = write(o.Buf, e.Value)
	}
	return o.End()
}
