package wire

import (
	"bytes"

	"github.com/vmihailenco/msgpack/v5"
)

// Version is the version of the private contract. A node refuses peers whose
// version it does not know.
const Version = 1

// Marshal encodes one message. Equal values give equal bytes.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := msgpack.NewEncoder(&buf)
	enc.UseCompactInts(true)
	enc.SetOmitEmpty(true)
	enc.SetSortMapKeys(true)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// Unmarshal decodes one message; unknown fields are ignored, absent ones stay
// zero. Byte slices in v do not alias data.
func Unmarshal(data []byte, v any) error { return msgpack.Unmarshal(data, v) }
