package rank

import (
	"slices"
	"testing"
)

func TestSequences(t *testing.T) {
	var q sequencer
	for _, w := range [][3]int{{0, 2, 7}, {0, 0, 5}, {0, 3, 1}, {0, 3, 9}, {2, 65535, 3}} {
		q.add(uint16(w[0]), uint16(w[1]), w[2])
	}
	q.flush(1)
	q.add(maxField+1, 0, 3) // a field without code: the record has to tell
	q.flush(4)
	s := q.seal()
	want := []uint16{
		codeField, 5, codeGap + 1, 7, 1, codeBack, 9, codeField + 2,
	}
	for left := 65535; left > 0; left -= min(left, maxGap) {
		want = append(want, uint16(codeGap+min(left, maxGap)))
	}
	if got := s.of(1); !slices.Equal(got, append(want, 3)) {
		t.Errorf("got %x, want %x, 3", got, want)
	}
	for _, low := range []uint16{0, 2, 4, 5, 65535} {
		if got := s.of(low); len(got) != 0 {
			t.Errorf("document %d has %x", low, got)
		}
	}
}

func TestLastDocumentOfABlock(t *testing.T) {
	var q sequencer
	for _, low := range []uint16{65534, 65535} {
		q.add(0, 0, 3)
		q.flush(low)
	}
	s := q.seal()
	for _, low := range []uint16{65534, 65535} {
		if got := s.of(low); !slices.Equal(got, []uint16{codeField, 3}) {
			t.Errorf("document %d has %x", low, got)
		}
	}
}

func TestFrequentWords(t *testing.T) {
	defer func(n int) { MaxColumnWords = n }(MaxColumnWords)
	counts := map[string]uint32{"a": 9, "b": 3, "c": 5, "d": 5, "e": 1}
	for _, c := range []struct {
		limit int
		least uint32
		want  []string
	}{{5, 1, []string{"a", "b", "c", "d", "e"}}, {9, 4, []string{"a", "c", "d"}}, {3, 1, []string{"a", "c", "d"}}, {2, 1, []string{"a"}}, {0, 1, []string{}}} {
		MaxColumnWords = c.limit
		if got := frequent(counts, c.least); !slices.Equal(got, c.want) {
			t.Errorf("of %d words with %d documents: %q, want %q", c.limit, c.least, got, c.want)
		}
	}
}
