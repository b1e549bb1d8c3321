//go:build linux && (amd64 || arm64)

package columns

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"shoal/shard/docset"
)

// mappedFile opens the columns of some documents in a file of the operating system,
// through a cache that keeps nothing.
func mappedFile(t *testing.T, codes ...[]uint16) (*BlockColumns, *os.File) {
	t.Helper()
	return mapped(t, orderedFile(t, codes...))
}

// mapped is mappedFile for the bytes of a file.
func mapped(t *testing.T, content []byte) (*BlockColumns, *os.File) {
	t.Helper()
	defer func(before int64) { MapLeast = before }(MapLeast)
	MapLeast = 1
	path := filepath.Join(t.TempDir(), "columns")
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

func TestAPieceIsServedFromTheMappingOnceRead(t *testing.T) {
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
	// After the kernel reclaims pages, pieces are read again.
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

func TestATruncatedMappedFileIsAFault(t *testing.T) {
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

// setWithin finds the requested documents of large and small sets, in the mapping and
// in the cache. Results do not refer to the mapping.
func TestSetWithinFindsTheRequestedDocuments(t *testing.T) {
	sizes := []int{1, 40, 2000, maxList, maxList + 1, 30_000, 1 << 16}
	content := sized(t, sizes)
	inMapping, _ := mapped(t, content)
	inCache, err := OpenBlock(bytes.NewReader(content), int64(len(content)), NewPieceCache(1<<24))
	if err != nil {
		t.Fatal(err)
	}
	for round := range 2 { // pieces are read, then mapped
		for i, size := range sizes {
			whole := spreadDocs(size)
			for _, asked := range append([]int{0, 3, 1023, 1024}, sizes...) {
				within := spreadDocs(asked)
				for _, b := range []*BlockColumns{inMapping, inCache} {
					_, sp, _ := b.search(&b.words, wordOf(i))
					got := b.setWithin(refOf(sp.fields, 0), &within)
					if want := whole.And(within); !got.And(within).Equal(want) || got.AndNot(whole).Len() > 0 {
						t.Errorf("round %d: of %d documents, %d asked about: %d found, want %d", round, size, asked, got.And(within).Len(), want.Len())
					}
				}
			}
			if got := inMapping.bitOf(mustFind(t, inMapping, i).fields, 0); !got.Equal(whole) {
				t.Errorf("round %d: %d documents, want %d", round, got.Len(), size)
			}
		}
	}
	if inMapping.Fault() != nil || inCache.Fault() != nil {
		t.Error(inMapping.Fault(), inCache.Fault())
	}
}

func mustFind(t *testing.T, b *BlockColumns, i int) blockSpread {
	t.Helper()
	_, sp, ok := b.search(&b.words, wordOf(i))
	if !ok {
		t.Fatalf("%q is not found", wordOf(i))
	}
	return sp
}

// spreadDocs returns n documents, spread evenly.
func spreadDocs(n int) docset.Container {
	docs := make([]uint16, 0, n)
	for i := range n {
		docs = append(docs, uint16(i*(1<<16)/n))
	}
	return docset.ContainerOf(docs)
}

// sized is a file of words with given numbers of documents.
func sized(t *testing.T, sizes []int) []byte {
	t.Helper()
	var file bytes.Buffer
	w := fileWriter{w: &file}
	for i, n := range sizes {
		ref := w.set(nil, 0, spreadDocs(n).AppendTo(nil))
		w.add(&w.names, wordOf(i), ref, ref)
	}
	if err := w.close(0, spreadDocs(1<<16), newPairLists(nil, nil, 1)); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// Walking the columns of a range, page by page, finds its words without column.
func TestARangeListsItsWordsWithoutColumn(t *testing.T) {
	const words = 1000
	var file bytes.Buffer
	w := fileWriter{w: &file}
	for i := range words {
		ref := w.set(nil, 0, []uint16{uint16(i)})
		w.add(&w.names, wordOf(i), ref, ref)
	}
	if err := w.close(0, spreadDocs(1), newPairLists(nil, nil, 1)); err != nil {
		t.Fatal(err)
	}
	b, _ := mapped(t, file.Bytes())
	var listed []string // every second one has a column
	for i := 2 * 100; i < 2*900; i++ {
		listed = append(listed, fmt.Sprintf("word%05d", i))
	}
	for round := range 2 { // pages are read, then mapped
		for _, r := range []struct {
			prefix, last string
			from, to     int // of the words with columns
		}{{"word00", "", 0, 500}, {"word003", "", 150, 200}, {"word00", "word00300", 0, 151}, {"w", "", 0, words}, {"x", "", 0, 0}} {
			got, lacks := b.rangeOf(nil, r.prefix, r.last, listed)
			if len(got) != r.to-r.from {
				t.Fatalf("round %d, %v: %d words, want %d", round, r, len(got), r.to-r.from)
			}
			for i, sp := range got {
				if docs := b.bitOf(sp.fields, 0).AppendTo(nil); !slices.Equal(docs, []uint16{uint16(r.from + i)}) {
					t.Fatalf("round %d, %v: word %d has documents %v", round, r, i, docs)
				}
			}
			for k, word := range listed {
				i := 200 + k // its number, in steps of half a word with column
				want := i%2 == 1 || i/2 < r.from || i/2 >= r.to
				if lack := lacks[k>>6]>>(k&63)&1 != 0; lack != want {
					t.Fatalf("round %d, %v: %q has no column: %v, want %v", round, r, word, lack, want)
				}
			}
		}
	}
}

// Sets, names and documents of all kinds of pieces are the same from the mapping.
func TestEveryKindOfPieceIsTheSameFromTheMapping(t *testing.T) {
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
		_ = f.Close() // only read
	}
}
