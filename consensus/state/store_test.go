package state

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// storesOfTests opens stores in memory.
func storesOfTests(t *testing.T, fs vfs.FS) *Stores {
	return &Stores{FS: fs, Dir: "/state", Cache: 1 << 20, Log: slog.New(slog.DiscardHandler), Fatal: func(err error) { t.Error(err) }}
}

// open opens the store in force and returns its number and the value that fill wrote.
func open(t *testing.T, s *Stores) (number int, value string) {
	t.Helper()
	db, number, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	b, closer, err := db.Get([]byte("key"))
	if err == nil {
		value = string(b)
		err = closer.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return number, value
}

func fill(t *testing.T, db *pebble.DB, value string) {
	t.Helper()
	if err := db.Set([]byte("key"), []byte(value), pebble.Sync); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// A flipped bit made CURRENT name a store that does not exist. That store was created, and
// the one with the state was removed as a remnant of an interrupted restore.
func TestADamagedCurrentFileLosesNoState(t *testing.T) {
	fs := vfs.NewMem()
	s := storesOfTests(t, fs)
	db, _, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	fill(t, db, "kept")
	const path = "/state/" + currentFile
	sound := []byte("state-000001\n")
	damage := [][]byte{nil, []byte("state-0"), make([]byte, len(sound))}
	for bit := range 8 * len(sound) {
		hurt := bytes.Clone(sound)
		hurt[bit/8] ^= 1 << (bit % 8)
		damage = append(damage, hurt)
	}
	for _, hurt := range damage {
		if err := WriteFile(fs, path, hurt); err != nil {
			t.Fatal(err)
		}
		if number, value := open(t, s); number != 1 || value != "kept" {
			t.Fatalf("with %q: store %d has %q", hurt, number, value)
		}
	}
	if err := fs.Remove(path); err != nil {
		t.Fatal(err)
	}
	if number, value := open(t, s); number != 1 || value != "kept" {
		t.Errorf("without it: store %d has %q", number, value)
	}
	// While a snapshot is restored there are two stores, and it cannot be known which one
	// counts.
	if db, err = s.OpenNumber(2); err != nil {
		t.Fatal(err)
	}
	fill(t, db, "newer")
	if err := WriteFile(fs, path, []byte("state-000007\n")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Open(); err == nil || !strings.Contains(err.Error(), "state-000001, state-000002") {
		t.Errorf("with two stores: %v", err)
	}
	if err := s.SetCurrent(2); err != nil {
		t.Fatal(err)
	}
	if number, value := open(t, s); number != 2 || value != "newer" {
		t.Errorf("after a restore: store %d has %q", number, value)
	}
}
