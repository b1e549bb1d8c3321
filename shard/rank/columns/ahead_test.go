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

// disk is one whose reads, after the first free ones, end when two are under way.
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

// Right after a start a search waited for the disk once for every piece of columns.
func TestAColdSearchReadOnePieceAfterTheOther(t *testing.T) {
	const blocks, perBlock = 12, 64
	defer func(least int) { columns.MinDocs = least }(columns.MinDocs)
	columns.MinDocs = 1
	docs := map[uint32]string{}
	for i := range uint32(blocks * perBlock) {
		docs[i/perBlock<<16|i%perBlock] = fmt.Sprintf(`{"t":"left right word%d"}`, i%7)
	}
	shard, err := memshard.New(settings.Default(), memindex.Fields(docs), docs)
	if err != nil {
		t.Fatal(err)
	}
	cache, slow := columns.NewPieceCache(1<<20), &disk{free: 1 << 20, two: make(chan struct{})}
	var all *columns.Columns
	for block := range uint16(blocks) {
		var file bytes.Buffer
		own := shard.Live().Block(block)
		if err := columns.BuildBlock(t.Context(), shard, block, own, &file, func(context.Context) error { return nil }); err != nil {
			t.Fatal(err)
		}
		b, err := columns.OpenBlock(slowFile{bytes.NewReader(file.Bytes()), slow}, int64(file.Len()), cache)
		if err != nil {
			t.Fatal(err)
		}
		all = all.With(b, own)
	}
	slow.free = 2 * blocks * 2 / 3
	pair := columns.Pair{Left: "left", Right: "right"}
	side, unknown := all.SideBySide(pair, shard.Live())
	if all.Faulty() || !unknown.Empty() || !side.Equal(shard.Live()) {
		t.Fatalf("%d documents, %d unknown, %v", side.Len(), unknown.Len(), all.All()[0].Fault())
	}
	if reads, _ := cache.Reads(); reads != 2*blocks {
		t.Errorf("%d pieces read of %d blocks", reads, blocks)
	}
}
