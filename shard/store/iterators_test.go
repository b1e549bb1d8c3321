package store

import (
	"encoding/binary"
	"errors"
	"log/slog"
	"testing"

	"github.com/cockroachdb/pebble/v2"
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
		p.GiveBack(p.Borrow(nil))
	}
	for range 3 {
		if err := s.TrimIterators(); err != nil {
			t.Fatal(err)
		}
		it := busy.Borrow(nil)
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
	idle.GiveBack(idle.Borrow(nil))
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

// Symptom: after proximityPrecision became byAttribute, whose index has no pairs of words, a search
// took up to twelve seconds. Each look-up of an exact word that does not exist went on into the
// table behind it, over all deleted pairs, until the former version had been given up.
func TestSeeksStopBeforeADeletedTable(t *testing.T) {
	s, err := Open(&Options{Dir: "data", FS: vfs.NewMem(), CacheBytes: 1 << 20, Log: slog.New(slog.DiscardHandler), Fatal: func(err error) { t.Error(err) }, Damage: func(string, error) {}})
	if err != nil {
		t.Fatal(err)
	}
	empty, deleted := []byte("shard a"), []byte("shard b")
	b := s.DB.NewBatch()
	for i := range 10_000 {
		err = errors.Join(err, b.Set(binary.BigEndian.AppendUint32(deleted, uint32(i)), nil, nil))
	}
	if err = errors.Join(err, b.Commit(pebble.NoSync), b.Close()); err != nil {
		t.Fatal(err)
	}
	former := s.DB.NewSnapshot()
	if err := s.DB.DeleteRange(deleted, After(deleted), pebble.NoSync); err != nil {
		t.Fatal(err)
	}
	var p Iterators
	p.Open(s)
	// With a later key in the file, an iterator cannot know which keys of it are gone.
	if err := errors.Join(s.DB.Set([]byte("shard c"), nil, pebble.NoSync), s.DB.Flush()); err != nil {
		t.Fatal(err)
	}
	for _, prefix := range [][]byte{nil, empty} {
		it := p.Borrow(prefix)
		if it.SeekGE(empty) {
			t.Errorf("%q is there", it.Key())
		}
		walked := it.Stats().InternalStats.PointsCoveredByRangeTombstones
		if bounded := prefix != nil; bounded && walked > 0 || !bounded && walked < 10_000 {
			t.Errorf("over the keys that begin with %q a seek walks over %d deleted ones", prefix, walked)
		}
		it.ResetStats()
		p.GiveBack(it)
	}
	if err := errors.Join(p.CloseAll(), former.Close(), s.Close()); err != nil {
		t.Error(err)
	}
}
