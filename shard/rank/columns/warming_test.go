//go:build linux && (amd64 || arm64)

package columns

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func freely(ctx context.Context) error { return ctx.Err() }

// warm reads a part of some columns and returns its bytes.
func warm(t *testing.T, b *BlockColumns, part Part, most int64) int64 {
	t.Helper()
	n, err := b.Warming().Read(t.Context(), part, most, freely)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// sound counts the pieces that need not be read.
func (b *BlockColumns) sound(kinds ...pieceKind) (n int) {
	for i := range b.refs {
		if b.isSound(uint32(i)) && slices.Contains(kinds, b.refs[i].kind) {
			n++
		}
	}
	return n
}

func TestASearchReadsNothingOfWarmColumns(t *testing.T) {
	want := []uint16{1, 3, CodeGap + 2, 1}
	b, _ := mappedFile(t, want, []uint16{3, 1})
	if n := warm(t, b, Orders, 1<<20); n == 0 || b.sound(pieceOrder) != 1 || b.sound(pieceNames, pieceLists) != 0 {
		t.Errorf("%d bytes of the order of words, sound: %d of these, %d others", n, b.sound(pieceOrder), b.sound(pieceNames, pieceLists))
	}
	if n := warm(t, b, Rest, 1<<20); n == 0 || b.sound(pieceOrder, pieceNames, pieceLists) != len(b.refs) {
		t.Errorf("%d bytes of the rest, %d of %d pieces are sound", n, b.sound(pieceOrder, pieceNames, pieceLists), len(b.refs))
	}
	var buf []uint16
	got := slices.Clone(b.OrderOf(0, &buf))
	at, found := b.Find("b")
	if !slices.Equal(got, want) || at != 1 || !found {
		t.Errorf("codes %x, want %x; b is word %d (found: %t)", got, want, at, found)
	}
	if n, _ := b.cache.Reads(); n != 0 {
		t.Errorf("%d pieces were read by searches", n)
	}
	if n := warm(t, b, Orders, 1<<20) + warm(t, b, Rest, 1<<20); n != 0 {
		t.Errorf("%d bytes were read again", n)
	}
}

// Damaged pieces are not trusted. Only a search that needs them reports it.
func TestWarmingLeavesDamageToSearches(t *testing.T) {
	b, f := mappedFile(t, []uint16{1, 3, 2}, []uint16{3, 1})
	if _, err := f.WriteAt([]byte{0x55}, int64(b.refs[b.orders[0]].at)); err != nil {
		t.Fatal(err)
	}
	warm(t, b, Orders, 1<<20)
	if b.sound(pieceOrder) != 0 || b.Fault() != nil {
		t.Errorf("%d damaged pieces are sound, fault %v", b.sound(pieceOrder), b.Fault())
	}
	var buf []uint16
	if b.OrderOf(0, &buf); !errors.Is(b.Fault(), ErrDamaged) {
		t.Errorf("a search found %v", b.Fault())
	}
}

func TestWarmingEndsAtItsBoundAndWithItsPace(t *testing.T) {
	b, _ := mappedFile(t, []uint16{1, 3, 2})
	if n := warm(t, b, Orders, 0); n != 0 || b.sound(pieceOrder) != 0 {
		t.Errorf("%d bytes were read, none allowed", n)
	}
	enough := errors.New("enough")
	n, err := b.Warming().Read(t.Context(), Orders, 1<<20, func(context.Context) error { return enough })
	if n != 0 || !errors.Is(err, enough) {
		t.Errorf("%d bytes, error %v", n, err)
	}
}

// A large file is read in parts, in order, each piece once.
func TestALargeFileIsWarmedInParts(t *testing.T) {
	codes := make([][]uint16, 1000)
	for i := range codes {
		codes[i] = slices.Repeat([]uint16{2}, 600)
	}
	b, _ := mappedFile(t, codes...)
	parts := 0
	n, err := b.Warming().Read(t.Context(), Orders, 1<<30, func(context.Context) error {
		parts++
		return nil
	})
	if last := b.refs[b.orders[len(b.orders)-1]]; err != nil || n != int64(last.at+last.size) || b.sound(pieceOrder) != len(b.orders) {
		t.Errorf("%d bytes (want %d), %d of %d pieces, error %v", n, last.at+last.size, b.sound(pieceOrder), len(b.orders), err)
	}
	if least := int(n/warmBytes) + 1; parts != least {
		t.Errorf("read in %d parts, want %d", parts, least)
	}
}

// Symptom: right after a start the first searches read more than the cache can hold and
// evicted one another's pieces.
func TestReadingAheadOfAMappedFileEvictsNothing(t *testing.T) {
	b, _ := mappedFile(t, []uint16{1, 3, 2})
	var buf []byte
	i := b.orders[0]
	if !b.prove(i, &buf) || !b.isSound(i) || b.slots[i].Load() != nil {
		t.Error("the piece is not taken from the mapping, or kept besides")
	}
	unmapped := filepath.Join(t.TempDir(), "small")
	content := orderedFile(t, []uint16{1, 3, 2})
	if err := os.WriteFile(unmapped, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(unmapped)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	small, err := OpenBlock(f, int64(len(content)), NewPieceCache(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer small.Forget()
	if small.prove(small.orders[0], &buf) || small.Warming() != nil {
		t.Error("a file that is not mapped is taken from its mapping")
	}
}

// Symptom: a few faults an hour on the program's own pages were taken for reclaimed
// mappings, and all pieces were read again.
func TestFaultsFarApartDoNotRaiseTheGeneration(t *testing.T) {
	c := NewPieceCache(0)
	before := c.generation.Load()
	for range 3 {
		c.waited.Add(-faultsLeast / 2)
		for range faultsWithin {
			c.watch()
		}
	}
	if got := c.generation.Load(); got != before {
		t.Errorf("pieces are read again after few faults each %d looks", faultsWithin)
	}
	c.waited.Add(-faultsLeast)
	if c.watch(); c.generation.Load() == before {
		t.Error("many faults at once were not noticed")
	}
}
