package store

import (
	"log/slog"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Symptom: each of ten thousand shards that had been read once kept an iterator of 17
// KiB.
func TestUnusedIteratorsAreClosed(t *testing.T) {
	s, err := Open(&Options{Dir: "data", FS: vfs.NewMem(), CacheBytes: 1 << 20, Log: slog.New(slog.DiscardHandler), Fatal: func(err error) { t.Error(err) }, Damage: func(string, error) {}})
	if err != nil {
		t.Fatal(err)
	}
	var idle, busy Iterators
	for _, p := range []*Iterators{&idle, &busy} {
		p.Open(s)
		p.GiveBack(p.Borrow())
	}
	for range 3 {
		if err := s.TrimIterators(); err != nil {
			t.Fatal(err)
		}
		it := busy.Borrow()
		if len(busy.free) != 0 {
			t.Error("an iterator in use is kept as a free one")
		}
		busy.GiveBack(it)
	}
	if len(idle.free) != 0 || len(idle.born) != 0 || len(busy.free) != 1 {
		t.Errorf("%d free iterators where nobody reads, %d where somebody does", len(idle.free), len(busy.free))
	}
	if _, looked := s.pools.with[&idle]; looked || len(s.pools.with) != 1 {
		t.Errorf("%d pools are looked at", len(s.pools.with))
	}
	idle.GiveBack(idle.Borrow())
	for _, p := range []*Iterators{&idle, &busy} {
		if err := p.CloseAll(); err != nil {
			t.Error(err)
		}
	}
	if len(s.pools.with) != 0 {
		t.Errorf("%d closed pools are looked at", len(s.pools.with))
	}
	if err := s.TrimIterators(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
