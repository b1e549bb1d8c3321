package shard

import (
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shoal/shard/store"
)

// A sweep leaves a file alone that is being written, though no table names it yet.
func TestAFileUnderConstructionIsNotSwept(t *testing.T) {
	var swept func()
	fs := &renaming{FS: vfs.NewMem(), then: func() { swept() }}
	w := newWorld(t, openHost(t, fs, later))
	defer w.close()
	sweeps := 0
	swept = func() {
		sweeps++
		if err := w.host.columnist.SweepShard(w.key); err != nil {
			t.Error(err)
		}
	}
	w.commit(add(t, commonWords(0, 600, "")...))
	w.covered()
	w.makeColumns()
	if w.columnsHold(); sweeps == 0 || w.covered().Len() < 599 { // one may wait
		t.Errorf("%d sweeps, columns of %d documents", sweeps, w.covered().Len())
	}
}

// renaming is a disk that calls a function after a column file got its name.
type renaming struct {
	vfs.FS
	then func()
}

func (r *renaming) Rename(from, to string) error {
	err := r.FS.Rename(from, to)
	if strings.HasSuffix(to, ".columns") {
		r.then()
	}
	return err
}

// Former programs wrote files with the documents of several shards. They are removed, and
// columns are built again.
func TestFilesOfSeveralShardsAreReplaced(t *testing.T) {
	fs := vfs.NewMem()
	w := newWorld(t, openHost(t, fs, later))
	w.commit(add(t, commonWords(0, 600, "")...))
	w.covered()
	w.makeColumns()
	names := columnNames(t, fs)
	if len(names) != 1 {
		t.Fatalf("files %q, want one", names)
	}
	foreign := "00000007+0002.0003-0000-b1e0c0de-0000-4000-8000-000000000000.columns"
	space, db := store.Keyspace{Key: w.key}, w.host.store.DB
	if err := db.DeleteRange(space.ColumnKey(store.ColumnFiles, 0, 0), space.ColumnKey(store.ColumnFiles, 0, 1<<64-1), pebble.Sync); err != nil {
		t.Fatal(err)
	}
	if err := db.Set(append(space.ColumnKey(store.ColumnFiles, 0, w.version), foreign...), nil, pebble.Sync); err != nil {
		t.Fatal(err)
	}
	if err := fs.Rename("data/columns/"+names[0], "data/columns/"+foreign); err != nil {
		t.Fatal(err)
	}
	w.reopen(fs, later)
	defer w.close()
	if got := w.covered(); !got.Empty() {
		t.Fatalf("%d documents have columns of several shards", got.Len())
	}
	w.makeColumns()
	w.columnsHold()
	if names := columnNames(t, fs); len(names) != 1 || names[0] == foreign || w.covered().Len() < 599 { // one may wait
		t.Errorf("files %q, columns of %d documents", names, w.covered().Len())
	}
}
