package columns

import (
	"bytes"
	"fmt"
	"testing"

	"shoal/shard/docset"
)

// named is a file of n words, each with one document.
func named(t *testing.T, cache *PieceCache, words int) *BlockColumns {
	t.Helper()
	var file bytes.Buffer
	w := fileWriter{w: &file}
	for i := range words {
		ref := w.set(nil, 0, []uint16{uint16(i)})
		w.add(&w.names, wordOf(i), ref, ref)
	}
	if err := w.close(0, docset.ContainerOf([]uint16{0}), newPairLists(nil, nil, 1)); err != nil {
		t.Fatal(err)
	}
	b, err := OpenBlock(bytes.NewReader(file.Bytes()), int64(file.Len()), cache)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wordOf(i int) string { return fmt.Sprintf("word%05d", 2*i) }

// look looks up a word in the file and one that it lacks.
func look(t *testing.T, b *BlockColumns, i int) {
	t.Helper()
	at, sp, ok := b.search(&b.words, wordOf(i))
	if !ok || at != i || !b.bitOf(sp.fields, 0).Contains(uint16(i)) {
		t.Fatalf("word %d: number %d, found %v, with %d documents", i, at, ok, b.bitOf(sp.fields, 0).Len())
	}
	if at, _, ok := b.search(&b.words, fmt.Sprintf("word%05d", 2*i+1)); ok || at != i+1 {
		t.Fatalf("the word behind %d: number %d, found %v", i, at, ok)
	}
}

// Symptom: each look-up of a name searched its page again, and with a full cache read
// it.
func TestLookedUpNamesAreNotReadAgain(t *testing.T) {
	const words, asked = 4000, 15
	cache := NewPieceCache(64 << 10) // smaller than the pages of names
	b := named(t, cache, words)
	defer b.Forget()
	for i := range asked {
		look(t, b, i*words/asked)
	}
	before, _ := cache.Reads()
	for range 3 {
		for i := range asked {
			w := wordOf(i * words / asked)
			if at, ok := b.Find(w); !ok || at != i*words/asked {
				t.Fatalf("%q is number %d, found %v", w, at, ok)
			}
		}
	}
	if after, _ := cache.Reads(); after != before {
		t.Errorf("%d pieces were read for names that were looked up before", after-before)
	}
	if err := b.Fault(); err != nil {
		t.Error(err)
	}
}

// Cached names are bounded over all files and dropped with their file.
func TestLookedUpNamesAreBounded(t *testing.T) {
	const words, limit = 3000, 128 << 10
	cache := NewPieceCache(limit)
	files := []*BlockColumns{named(t, cache, words), named(t, cache, words)}
	for i := range words {
		for _, b := range files {
			look(t, b, i)
		}
		if kept := cache.summaries.Load(); kept > limit/summaryShare || cache.Bytes() > limit {
			t.Fatalf("after %d words: %d bytes of names, %d in all, of %d", i+1, kept, cache.Bytes(), limit)
		}
	}
	if cache.summaries.Load() < limit/summaryShare/4 {
		t.Errorf("only %d bytes of names are kept", cache.summaries.Load())
	}
	for _, b := range files {
		b.Forget()
	}
	if cache.Bytes() != 0 {
		t.Errorf("%d bytes are kept of closed files", cache.Bytes())
	}
}

// After a page could not be read, its names are not cached either.
func TestNamesOfADamagedPageAreNotKept(t *testing.T) {
	b := named(t, NewPieceCache(1<<20), 100)
	b.from = bytes.NewReader(make([]byte, b.size))
	if _, ok := b.Find(wordOf(3)); ok || b.Fault() == nil {
		t.Fatal("a damaged page had a word")
	}
	if b.cache.summaries.Load() != 0 {
		t.Error("something is kept of it")
	}
}
