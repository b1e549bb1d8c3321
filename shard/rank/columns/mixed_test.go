package columns

import (
	"bytes"
	"testing"

	"shoal/shard/docset"
)

// Only files in the newest format list the documents in which a code stands for several
// words.
func TestDocumentsWithAmbiguousCodesAreListed(t *testing.T) {
	var file bytes.Buffer
	w := fileWriter{w: &file}
	for _, d := range []struct {
		low   uint16
		codes []int
	}{{0, []int{0, 2, 4}}, {1, []int{4, 6, 6, 6, 8}}, {2, []int{8}}, {7, []int{8, 8}}} {
		for _, code := range d.codes {
			w.mixed.take(d.low, code)
		}
	}
	if err := w.close(0, docset.ContainerOf([]uint16{0, 1, 2, 7}), newPairLists(nil, nil, 1)); err != nil {
		t.Fatal(err)
	}
	now := file.Bytes()
	before := of(t, unmixedMagic, now, func(d *mapDecoder) { d.pairs(d.columns(uint64(len(now)))) })
	for low, want := range map[uint16]bool{0: true, 1: false, 2: true, 7: false} {
		if got := opened(t, now).Distinct(low); got != want {
			t.Errorf("document %d: each code stands for one word: %v, want %v", low, got, want)
		}
		if opened(t, before).Distinct(low) {
			t.Errorf("document %d: a file of before tells that each code stands for one word", low)
		}
	}
}
