package columns

import (
	"encoding/binary"

	"shoal/shard/docset"
)

// mixedDocs collects the documents in which a code stands for several words: those without
// column that stand between the same two words with columns have one code. In all others
// what has one code is one word, however often.
type mixedDocs struct {
	docs []uint16
	// low is the present document when begun is set, and code that of its word before.
	low   uint16
	begun bool
	code  int
}

// take adds a word without column of a document; words come in order.
func (m *mixedDocs) take(low uint16, code int) {
	if m.begun && m.low == low && m.code == code {
		if n := len(m.docs); n == 0 || m.docs[n-1] != low {
			m.docs = append(m.docs, low)
		}
	}
	m.low, m.begun, m.code = low, true, code
}

// appendMap appends what the map of a file says of these documents.
func (m *mixedDocs) appendMap(to []byte) []byte {
	set := docset.ContainerOf(m.docs).AppendBinary(nil)
	return append(binary.AppendUvarint(to, uint64(len(set))), set...)
}

// mixed reads what the map of a file says of these documents.
func (d *mapDecoder) mixed(c *BlockColumns) {
	docs, rest, err := docset.DecodeContainer(d.bytes(d.number()))
	if d.bad = d.bad || err != nil || len(rest) > 0; d.bad {
		return
	}
	c.mixed, c.sorted = docs, true
}

// Distinct tells that in the words of a document in their order each code stands for one
// word only. Files of before do not tell that of any.
func (b *BlockColumns) Distinct(low uint16) bool { return b.sorted && !b.mixed.Contains(low) }
