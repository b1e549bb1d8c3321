package columns

import (
	"encoding/binary"

	"shoal/shard/docset"
)

// mixedDocs collects the documents in which a code stands for several words: words
// without column that sort between the same two words with columns share a code. In all
// other documents a code stands for one word.
type mixedDocs struct {
	docs []uint16
	// low is the present document, if begun is set, and code that of its previous word.
	low   uint16
	begun bool
	code  int
}

// take adds a word without column of a document. Words come in order.
func (m *mixedDocs) take(low uint16, code int) {
	if m.begun && m.low == low && m.code == code {
		if n := len(m.docs); n == 0 || m.docs[n-1] != low {
			m.docs = append(m.docs, low)
		}
	}
	m.low, m.begun, m.code = low, true, code
}

// appendMap appends these documents to the map of a file.
func (m *mixedDocs) appendMap(to []byte) []byte {
	set := docset.ContainerOf(m.docs).AppendBinary(nil)
	return append(binary.AppendUvarint(to, uint64(len(set))), set...)
}

// mixed reads these documents from the map of a file.
func (d *mapDecoder) mixed(c *BlockColumns) {
	docs, rest, err := docset.DecodeContainer(d.bytes(d.number()))
	if d.bad = d.bad || err != nil || len(rest) > 0; d.bad {
		return
	}
	c.mixed, c.sorted = docs, true
}

// Distinct reports that each code in a document's word order stands for one word. It is
// false for all documents of files in older formats.
func (b *BlockColumns) Distinct(low uint16) bool { return b.sorted && !b.mixed.Contains(low) }
