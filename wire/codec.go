package wire

import (
	"bytes"

	"github.com/vmihailenco/msgpack/v5"
)

// Version is the version of the private contract, which every node tells of its
// program. What older programs do not understand is written once no node has one
// (SpokenBy): 2 brought compressed commands and Change.Unchanged, 3 Rename.Exchange,
// 4 Guard.Aims, 5 SearchOpen.Others. It
// changes with text.FormatVersion too, since tables are built anew only when all
// nodes agree.
const Version = 5

// SpokenBy tells whether the programs of all nodes know a version.
func SpokenBy(nodes []*Node, version int) bool {
	for _, n := range nodes {
		if n.Version < version {
			return false
		}
	}
	return true
}

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
