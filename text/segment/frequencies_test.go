package segment

import (
	"bytes"
	"math"
	"testing"
)

// Texts would be cut differently with fewer words or another sum.
func TestTheChineseListIsWhole(t *testing.T) {
	f := chineseFrequencies()
	words := 0
	for _, v := range f.words.values {
		if v != 0 {
			words++
		}
		if int(v) >= len(f.logs) {
			t.Fatalf("a word with the frequency %d of %d", v, len(f.logs))
		}
	}
	if total := math.Exp(-f.logs[0]); words != 349045 || math.Round(total) != 60101964 {
		t.Errorf("%d words, %f in all", words, total)
	}
}

func TestFrequenciesAreReadAsTheyWereWritten(t *testing.T) {
	var b bytes.Buffer
	if err := WriteFrequencies(&b, map[string]uint32{"一": 1, "一二": 5, "一二三四": 2, "ab": 5}); err != nil {
		t.Fatal(err)
	}
	f, err := readFrequencies(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if want := logarithm(1) - logarithm(13); f.logs[0] != want {
		t.Errorf("an unknown character has %v, want %v", f.logs[0], want)
	}
	for word, want := range map[string]uint64{"一": 1, "一二": 5, "一二三": 0, "一二三四": 2, "二": 0, "ab": 5, "a": 0} {
		node := uint32(0)
		for _, r := range word {
			if node = f.words.child(node, r); node == 0 {
				break
			}
		}
		switch v := f.words.values[node]; {
		case (v != 0) != (want != 0):
			t.Errorf("%s: number %d", word, v)
		case want != 0 && f.logs[v] != logarithm(want)-logarithm(13):
			t.Errorf("%s: %v", word, f.logs[v])
		}
	}
	for cut := range b.Len() {
		if _, err := readFrequencies(b.Bytes()[:cut]); err == nil {
			t.Errorf("%d bytes of %d were enough", cut, b.Len())
		}
	}
}

// The values are those of a C library that rounds correctly. Go's math.Log has other last
// bits for some of them, depending on the processor.
func TestLogarithmsAreRoundedRight(t *testing.T) {
	for n, want := range map[uint64]uint64{
		2:        0x3fe62e42fefa39ef,
		3:        0x3ff193ea7aad030b,
		14:       0x40051cca16d7bba7,
		48:       0x400ef8383c50bb75,
		74:       0x4011375cd6fcab1d,
		176:      0x4014ae935b3cb89d,
		196:      0x40151cca16d7bba7,
		220:      0x4015931319798d6f,
		60101964: 0x4031e95b8ae1e422,
	} {
		if got := math.Float64bits(logarithm(n)); got != want {
			t.Errorf("ln %d: %x, want %x", n, got, want)
		}
	}
}
