package columns

import (
	"bytes"
	"slices"
	"testing"

	"shoal/shard/docset"
)

func TestSequences(t *testing.T) {
	var q sequencer
	for _, w := range [][3]int{{0, 2, 7}, {0, 0, 5}, {0, 3, 1}, {0, 3, 9}, {2, 65535, 3}} {
		q.add(uint16(w[0]), uint16(w[1]), w[2])
	}
	want := []uint16{
		CodeField, 5, CodeGap + 1, 7, 1, CodeBack, 9, CodeField + 2,
	}
	for left := 65535; left > 0; left -= min(left, maxGap) {
		want = append(want, uint16(CodeGap+min(left, maxGap)))
	}
	if got := q.flush(); !slices.Equal(got, append(want, 3)) {
		t.Errorf("got %x, want %x, 3", got, want)
	}
	q.add(maxField+1, 0, 3) // a field without code: the record must be read
	if got := q.flush(); len(got) != 0 {
		t.Errorf("got %x of a field without code", got)
	}
}

func TestWordOrdersOfABlockAreReadBack(t *testing.T) {
	var file bytes.Buffer
	w := fileWriter{w: &file}
	codes := map[uint16][]uint16{}
	for _, low := range []uint16{0, 1, 7, 800, 801, 65534, 65535} {
		for i := range 1 + int(low)%900 {
			codes[low] = append(codes[low], uint16(i))
		}
		w.addOrder(low, codes[low])
	}
	if err := w.close(3, docset.ContainerOf([]uint16{0, 1, 7, 800, 801, 65534, 65535}), newPairLists(nil, nil, 1)); err != nil {
		t.Fatal(err)
	}
	b, err := OpenBlock(bytes.NewReader(file.Bytes()), int64(file.Len()), NewPieceCache(0))
	if err != nil {
		t.Fatal(err)
	}
	for low := range 1 << 16 {
		if got := b.OrderOf(uint16(low), new([]uint16)); !slices.Equal(got, codes[uint16(low)]) {
			t.Fatalf("document %d has %x, want %x", low, got, codes[uint16(low)])
		}
	}
	if b.Block() != 3 || b.Docs().Len() != 7 || b.Fault() != nil {
		t.Errorf("block %d of %d documents, %v", b.Block(), b.Docs().Len(), b.Fault())
	}
}

func TestFrequentWords(t *testing.T) {
	counts := map[string]uint32{"a": 9, "b": 3, "c": 5, "d": 5, "e": 1}
	for _, c := range []struct {
		limit int
		least uint32
		want  []string
	}{{5, 1, []string{"a", "b", "c", "d", "e"}}, {9, 4, []string{"a", "c", "d"}}, {3, 1, []string{"a", "c", "d"}}, {2, 1, []string{"a"}}, {0, 1, []string{}}} {
		if got := frequent(counts, c.least, c.limit); !slices.Equal(got, c.want) {
			t.Errorf("of %d words with %d documents: %q, want %q", c.limit, c.least, got, c.want)
		}
	}
}
