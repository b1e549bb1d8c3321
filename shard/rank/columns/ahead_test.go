package columns_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"shoal/api/settings"
	"shoal/shard/memindex"
	"shoal/shard/memshard"
	"shoal/shard/rank/columns"
)

// disk is a disk whose reads, after the first `free` ones, end when two are in
// progress.
type disk struct {
	mu      sync.Mutex
	free    int
	reading int
	two     chan struct{}
	met     bool
}

func (d *disk) wait() error {
	d.mu.Lock()
	d.free--
	if d.reading++; d.reading == 2 && !d.met {
		d.met = true
		close(d.two)
	}
	free := d.free >= 0
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		d.reading--
		d.mu.Unlock()
	}()
	if free {
		return nil
	}
	select {
	case <-d.two:
		return nil
	case <-time.After(10 * time.Second):
		return errors.New("nobody else reads")
	}
}

// slowFile is a file on a disk.
type slowFile struct {
	*bytes.Reader
	disk *disk
}

func (f slowFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.disk.wait(); err != nil {
		return 0, err
	}
	return f.Reader.ReadAt(p, off)
}

const aheadBlocks, perBlock = 12, 64

// onDisk returns the columns of some blocks whose documents all have the same pair of
// words.
func onDisk(t *testing.T, cache *columns.PieceCache, slow *disk) (*memshard.Shard, *columns.Columns) {
	t.Helper()
	defer func(least int) { columns.MinDocs = least }(columns.MinDocs)
	columns.MinDocs = 1
	docs := map[uint32]string{}
	for i := range uint32(aheadBlocks * perBlock) {
		docs[i/perBlock<<16|i%perBlock] = fmt.Sprintf(`{"t":"left right word%d"}`, i%7)
	}
	shard, err := memshard.New(settings.Default(), memindex.Fields(docs), docs)
	if err != nil {
		t.Fatal(err)
	}
	var all *columns.Columns
	for block := range uint16(aheadBlocks) {
		var file bytes.Buffer
		own := shard.Live().Block(block)
		if err := columns.BuildBlock(t.Context(), shard, block, own, &file, func(context.Context) error { return nil }); err != nil {
			t.Fatal(err)
		}
		b, err := columns.OpenBlock(slowFile{bytes.NewReader(file.Bytes()), slow}, int64(file.Len()), cache)
		if err != nil {
			t.Fatal(err)
		}
		all = all.With(b, own, own)
	}
	return shard, all
}

// sideBySide queries the pair and counts the reads.
func sideBySide(t *testing.T, cache *columns.PieceCache, slow *disk, want int64) {
	t.Helper()
	shard, all := onDisk(t, cache, slow)
	slow.free = 2 * aheadBlocks * 2 / 3
	side, unknown := all.SideBySide(columns.Pair{Left: "left", Right: "right"}, shard.Live())
	if all.Faulty() || !unknown.Empty() || !side.Equal(shard.Live()) {
		t.Fatalf("%d documents, %d unknown, %v", side.Len(), unknown.Len(), all.All()[0].Fault())
	}
	if reads, _ := cache.Reads(); reads != want {
		t.Errorf("%d pieces read of %d blocks, want %d", reads, aheadBlocks, want)
	}
}

// Symptom: right after a start a search waited for the disk once per piece.
func TestAColdSearchReadsPiecesConcurrently(t *testing.T) {
	sideBySide(t, columns.NewPieceCache(1<<20), &disk{free: 1 << 20, two: make(chan struct{})}, 2*aheadBlocks)
}

// Symptom: with a small cache, pieces that were read ahead were evicted before use,
// along with pieces of other searches.
func TestASmallCacheReadsEachPieceOnce(t *testing.T) {
	one := columns.NewPieceCache(1 << 20)
	sideBySide(t, one, &disk{free: 1 << 20, two: make(chan struct{})}, 2*aheadBlocks)
	met := make(chan struct{})
	close(met) // reads need not overlap
	sideBySide(t, columns.NewPieceCache(one.Bytes()/4), &disk{free: 1 << 20, two: met, met: true}, 2*aheadBlocks)
}
