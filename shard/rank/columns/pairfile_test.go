package columns

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"testing"

	"shoal/shard/docset"
)

// orderedFile is a file of documents with these codes, whose words 0 and 1 are paired.
func orderedFile(t *testing.T, codes ...[]uint16) []byte {
	t.Helper()
	var file bytes.Buffer
	w := fileWriter{w: &file}
	p := newPairLists([]string{"a", "b"}, map[string]uint32{"a": 9, "b": 9}, 1)
	var docs []uint16
	for i, c := range codes {
		docs = append(docs, uint16(i))
		p.take(uint16(i), c)
		w.addOrder(uint16(i), c)
	}
	for _, name := range []string{"a", "b"} {
		w.add(&w.names, name, nil, nil)
	}
	if err := w.close(0, docset.ContainerOf(docs), p); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// unpaired is a file in the format without lists of pairs.
func unpaired(t *testing.T, file []byte) []byte {
	t.Helper()
	return of(t, unpairedMagic, file, func(d *mapDecoder) { d.columns(uint64(len(file))) })
}

// of is a file in an older format, which ends with magic and whose map has the parts
// that read reads.
func of(t *testing.T, magic string, file []byte, read func(*mapDecoder)) []byte {
	t.Helper()
	tail := file[len(file)-tailBytes:]
	n := int(binary.LittleEndian.Uint32(tail))
	from := len(file) - tailBytes - sumBytes - n
	m := file[from : from+n]
	d := mapDecoder{rest: m}
	if read(&d); d.bad {
		t.Fatal("the map cannot be read")
	}
	m = m[:n-len(d.rest)]
	out := append(slices.Clone(file[:from]), m...)
	out = binary.LittleEndian.AppendUint32(out, crc32.Checksum(m, pieceTable))
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(m))), magic...)
}

// Files without lists of pairs are read by word order.
func TestAFileWithoutPairsIsReadByWordOrder(t *testing.T) {
	const a, b = 1, 3
	file := orderedFile(t, []uint16{CodeField, a, b}, []uint16{CodeField, b, a}, []uint16{CodeField, a, CodeBack, b}, []uint16{CodeField, a, CodeGap + 1, b})
	for name, bytes := range map[string][]byte{"with pairs": file, "of before": unpaired(t, file)} {
		c := opened(t, bytes)
		if listed := len(c.paired) == 2; listed != (name == "with pairs") {
			t.Errorf("%s: %d paired words", name, len(c.paired))
		}
		side, unknown := c.sideBySide(Pair{"a", "b"}, c.Docs())
		if got := side.AppendTo(nil); !slices.Equal(got, []uint16{0}) {
			t.Errorf("%s: side by side in %d, want 0", name, got)
		}
		if got := unknown.AppendTo(nil); !slices.Equal(got, []uint16{2}) {
			t.Errorf("%s: unknown in %d, want 2", name, got)
		}
		if err := c.Fault(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func opened(t *testing.T, file []byte) *BlockColumns {
	t.Helper()
	c, err := OpenBlock(bytes.NewReader(file), int64(len(file)), NewPieceCache(0))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Invalid bytes are damage, found when the file is opened or when they are read.
func TestADamagedPageOfPairsIsFound(t *testing.T) {
	for _, page := range [][]uint16{{1}, {2, 0, 0, 0, 0}, {1, 0, 1, 5, 0}, {1, 0, 1, 0, 9}, {1, 0, 1, 0, 65535, 0}, {1, 0, 1, 0, 65535, 7, 7}} {
		var raw []byte
		for _, v := range page {
			raw = binary.LittleEndian.AppendUint16(raw, v)
		}
		ps := written(pieceLists, NewPieceCache(0), raw)
		c := &BlockColumns{pairs: pairPages{[]uint32{0}, []uint32{0}}}
		c.from, c.cache, c.refs, c.slots = ps.from, ps.cache, ps.refs, ps.slots
		if docs := c.pairDocs(pairKey(0, 1)); !docs.Empty() || !errors.Is(c.Fault(), ErrDamaged) {
			t.Errorf("page %d: %d documents, fault %v", page, docs.Len(), c.Fault())
		}
	}
}
