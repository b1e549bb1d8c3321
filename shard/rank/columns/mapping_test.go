//go:build linux && (amd64 || arm64)

package columns

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"shoal/shard/docset"
)

// mappedFile opens the columns of some documents in a file of the system's, through a cache
// that keeps nothing.
func mappedFile(t *testing.T, codes ...[]uint16) (*BlockColumns, *os.File) {
	t.Helper()
	defer func(before int64) { MapLeast = before }(MapLeast)
	MapLeast = 1
	path := filepath.Join(t.TempDir(), "columns")
	content := orderedFile(t, codes...)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	b, err := OpenBlock(f, int64(len(content)), NewPieceCache(0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Forget)
	if b.window.Load() == nil {
		t.Fatal("the file is not mapped")
	}
	return b, f
}

func TestAPieceThatWasReadIsTakenFromTheMapping(t *testing.T) {
	want := []uint16{1, 3, CodeGap + 2, 1}
	b, _ := mappedFile(t, want)
	reads := func() int64 {
		n, _ := b.cache.Reads()
		return n
	}
	var buf []uint16
	for i, more := range []int64{1, 0, 0} {
		before := reads()
		if got := b.OrderOf(0, &buf); !slices.Equal(got, want) {
			t.Fatalf("time %d: %x, want %x", i, got, want)
		}
		if got := reads() - before; got != more {
			t.Errorf("time %d: %d pieces were read, want %d", i, got, more)
		}
	}
	// When the system takes pages back they are read again.
	b.cache.waited.Store(majorFaults() - faultsLeast)
	b.cache.watch()
	before := reads()
	if got := b.OrderOf(0, &buf); !slices.Equal(got, want) || reads() != before+1 {
		t.Errorf("after pages were taken back: %x, %d pieces were read", got, reads()-before)
	}
	if err := b.Fault(); err != nil {
		t.Error(err)
	}
}

func TestAMappedFileThatLosesItsEndEndedTheProcess(t *testing.T) {
	b, f := mappedFile(t, []uint16{1, 3, 2})
	var buf []uint16
	if len(b.OrderOf(0, &buf)) == 0 || b.Fault() != nil {
		t.Fatal("the codes are not found")
	}
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	b.OrderOf(0, &buf)
	if err := b.Fault(); !errors.Is(err, errGone) {
		t.Errorf("fault %v, want %v", err, errGone)
	}
}

// Sets, names and documents of all kinds of pieces are the same from the mapping.
func TestEveryKindOfPieceFromTheMapping(t *testing.T) {
	defer func(before int64) { MapLeast = before }(MapLeast)
	MapLeast = 1
	lists, set := []byte{1, 0, 255, 255, 0, 1}, make([]byte, 8*docset.Words)
	set[0], set[9] = 1, 2
	for kind, body := range map[pieceKind][]byte{pieceLists: lists, pieceOrder: lists, pieceNames: []byte("words"), pieceBitset: set} {
		ps := written(kind, NewPieceCache(0), []byte{1}, body) // pieces begin anywhere
		b := make([]byte, int(ps.refs[1].at+ps.refs[1].size))
		if _, err := ps.from.ReadAt(b, 0); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "pieces")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		ps.openMapping(f, int64(len(b)))
		first, second := ps.get(1, kind), ps.get(1, kind)
		if n, _ := ps.cache.Reads(); n != 1 {
			t.Errorf("kind %d: read %d times", kind, n)
		}
		same := slices.Equal(first.values, second.values) && string(first.raw) == string(second.raw)
		if kind == pieceBitset {
			same = second.bits != nil && *first.bits == *second.bits
		}
		if !same || ps.fault.Load() != nil {
			t.Errorf("kind %d: %v, then %v", kind, first, second)
		}
		ps.closeMapping()
		_ = f.Close() // it was only read
	}
}
