package store

import "encoding/binary"

// MaxFieldCount is the largest number of tokens with a count posting (spec ranking 2).
const MaxFieldCount = 30

// AppendDocument and CutDocument encode and decode the stored value of a document: its
// id, then the JSON object.
func AppendDocument(dst []byte, id string, doc []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(id)))
	return append(append(dst, id...), doc...)
}

// CutDocument decodes a value of AppendDocument. The parts alias value.
func CutDocument(value []byte) (id, doc []byte, err error) {
	n, w := binary.Uvarint(value)
	if w <= 0 || n > uint64(len(value)-w) {
		return nil, nil, ErrCorruptValue
	}
	return value[w : w+int(n)], value[w+int(n):], nil
}
