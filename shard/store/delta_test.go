package store

import (
	"bytes"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/wire"
)

func testStore(t *testing.T) *Store {
	t.Helper()
	s, err := Open(&Options{
		Dir: "data", FS: vfs.NewMem(), CacheBytes: 1 << 20, Log: slog.New(slog.DiscardHandler),
		Fatal: func(err error) { panic(err) }, Damage: func(string, error) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Records of new documents overlap nothing in the store, so compactions need not
// rewrite them. Posting lists are merged.
func TestRecordsByOrdinalHaveFilesOfTheirOwn(t *testing.T) {
	s := testStore(t)
	keys := Keyspace{Key: wire.ShardKey{IndexID: 1}}
	head := Head{Key: keys.Key, ID: "delta"}
	sink := s.NewSink(&head, Limits{SmallDelta: 1, DeltaFile: 2 * apartBytes})
	noise := rand.NewChaCha8([32]byte{})
	value := make([]byte, apartBytes/16)
	record := func(table Table, ord uint32) Op {
		_, _ = noise.Read(value) // never fails
		return Op{Kind: OpSet, Key: keys.Row(nil, table, ord), Value: bytes.Clone(value)}
	}
	var ops []Op
	for _, table := range keys.Tables() {
		switch table {
		case TableDocument, TableTokens:
			for ord := range uint32(60) { // more than one file
				ops = append(ops, record(table, ord))
			}
		case TableValues: // too few for a file
			ops = append(ops, record(table, 1))
		case TableWord:
			for i := range 20 {
				o := record(table, 0)
				o.Key = keys.WordKey(nil, table, []byte{'a' + byte(i)}, 0)
				ops = append(ops, o)
			}
		}
	}
	var tables []string // of each file
	for _, o := range ops {
		if err := sink.Add(o); err != nil {
			t.Fatal(err)
		}
		if len(sink.Files) == len(tables) {
			tables = append(tables, "")
		}
		if in, name := &tables[len(sink.Files)], string(rune(TableOf(o.Key))); !strings.HasSuffix(*in, name) {
			*in += name
		}
	}
	if files, _, _, err := sink.Finish(); err != nil || len(files) != len(tables) {
		t.Fatalf("%d files, %v", len(files), err)
	}
	if want := []string{"d", "d", "t", "t", "vw"}; !slices.Equal(tables, want) {
		t.Errorf("the files have the tables %q, want %q", tables, want)
	}
}
