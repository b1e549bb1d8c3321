package store

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Reading ahead reads the files with keys of the range up to its bound, and ends with
// the error of its pace.
func TestReadAheadKeepsItsBounds(t *testing.T) {
	s, err := Open(&Options{Dir: "data", FS: vfs.NewMem(), CacheBytes: 1 << 20, Log: slog.New(slog.DiscardHandler), Fatal: func(err error) { t.Error(err) }, Damage: func(string, error) {}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for _, key := range []string{"a", "m", "z"} {
		if err := s.DB.Set([]byte(key), make([]byte, 64<<10), nil); err != nil {
			t.Fatal(err)
		}
		if err := s.DB.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	free := func(ctx context.Context) error { return ctx.Err() }
	read := func(lo, hi string, most int64) int64 {
		t.Helper()
		n, err := s.ReadAhead(t.Context(), KeyRange{Lo: []byte(lo), Hi: []byte(hi)}, most, free)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	all, one := read("a", "zz", 1<<30), read("l", "n", 1<<30)
	if one == 0 || all <= one {
		t.Errorf("%d bytes of one file, %d of all", one, all)
	}
	if n := read("b", "c", 1<<30); n != 0 {
		t.Errorf("%d bytes of files without keys of the range", n)
	}
	if n := read("a", "zz", 0); n != 0 {
		t.Errorf("%d bytes were read, none allowed", n)
	}
	enough := errors.New("enough")
	if _, err := s.ReadAhead(t.Context(), KeyRange{Lo: []byte("a"), Hi: []byte("zz")}, 1<<30, func(context.Context) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("error %v", err)
	}
}
